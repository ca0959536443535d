// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"bytes"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v2"
)

const (
	manifest    = "../../../config/prometheus/prometheusrule.yaml"
	runbooks    = "../../../docs/runbooks.md"
	runbookPage = "https://github.com/broadband-operator/broadband-operator/blob/main/docs/runbooks.md"
)

// alerts returns the alerting rules.
func alerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, failures := rulefmt.ParseFile(
		rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, failure := range failures {
		t.Error(failure)
	}
	if groups == nil {
		t.FailNow()
	}
	var all []rulefmt.Rule
	for _, group := range groups.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// Every alert explains itself, and links its runbook.
func TestEveryAlertExplainsItself(t *testing.T) {
	for _, alert := range alerts(t) {
		about, severity := alert.Annotations, alert.Labels["severity"]
		if about["summary"] == "" || about["description"] == "" {
			t.Errorf("%s has no summary or no description", alert.Alert)
		}
		if url := runbookPage + "#" + strings.ToLower(alert.Alert); about["runbook_url"] != url {
			t.Errorf("%s has the runbook %q, not %s", alert.Alert, about["runbook_url"], url)
		}
		if !slices.Contains([]string{"critical", "warning", "info"}, severity) {
			t.Errorf("%s has the severity %q", alert.Alert, severity)
		}
	}
}

// Every alert has an entry in the runbooks that says what it means, what to look at and what to do.
func TestEveryAlertHasARunbook(t *testing.T) {
	entries := runbookEntries(t)
	for _, alert := range alerts(t) {
		for _, part := range []string{"**Meaning.**", "**Look at**", "**Do.**"} {
			if !strings.Contains(entries[alert.Alert], part) {
				t.Errorf("the entry %s in docs/runbooks.md has no part %s", alert.Alert, part)
			}
		}
		delete(entries, alert.Alert)
	}
	for title := range entries {
		t.Errorf("docs/runbooks.md has the entry %s, which is no alert", title)
	}
}

func runbookEntries(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(runbooks)
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		entries[title] = body
	}
	return entries
}

// The manifest has the rules of the plain file. With GOLDEN=1, the test writes the manifest.
func TestThePrometheusRuleHasTheSameRules(t *testing.T) {
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	want := prometheusRule(t, text)
	if os.Getenv("GOLDEN") != "" {
		if err = os.WriteFile(manifest, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, have) {
		t.Errorf("%s is not made from %s: run GOLDEN=1 go -C hack/foreign/prometheus test -count=1 ./...",
			manifest, rulesFile)
	}
}

func prometheusRule(t *testing.T, rules []byte) []byte {
	t.Helper()
	var spec yaml.MapSlice
	if err := yaml.Unmarshal(rules, &spec); err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(yaml.MapSlice{
		{Key: "apiVersion", Value: "monitoring.coreos.com/v1"},
		{Key: "kind", Value: "PrometheusRule"},
		{Key: "metadata", Value: yaml.MapSlice{
			{Key: "name", Value: "broadband-operator"},
			{Key: "namespace", Value: "broadband-operator"},
			{Key: "labels", Value: yaml.MapSlice{{Key: "app.kubernetes.io/name", Value: "broadband-operator"}}},
		}},
		{Key: "spec", Value: spec},
	})
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("# Made from rules.yaml: GOLDEN=1 go -C hack/foreign/prometheus test -count=1 ./...\n"), text...)
}
