// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/test/source"
)

var update = flag.Bool("update", false, "rewrite the examples of docs/troubleshooting.md")

const (
	troubleshooting = "docs/troubleshooting.md"
	objects         = "../../config/argocd/wholesale.broadband"
)

var section = regexp.MustCompile(`(?m)^### (\w+)$`)

// Somebody who sees a reason in `kubectl get` finds out on one page what it means and what to do.
func TestEveryReasonIsOnThePageOfTroubleshooting(t *testing.T) {
	t.Parallel()
	described := map[string]int{}
	for _, found := range section.FindAllStringSubmatch(text(t, troubleshooting), -1) {
		described[found[1]]++
	}
	all := source.Reasons(t)
	for _, reason := range all {
		if described[reason] != 1 {
			t.Errorf("%s has %d sections for the reason %s, want 1", troubleshooting, described[reason], reason)
		}
	}
	for name := range described {
		if !slices.Contains(all, name) {
			t.Errorf("%s describes %s, which is no reason", troubleshooting, name)
		}
	}
}

// The examples are conditions that the specs of the controllers reached, so they follow every change
// of a message.
func TestExamplesOfTroubleshootingAreReal(t *testing.T) {
	t.Parallel()
	page := text(t, troubleshooting)
	current := withExamples(t, page)
	if *update {
		if err := os.WriteFile("../../"+troubleshooting, []byte(current), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if current != page {
		t.Errorf("the examples of %s are out of date: go test ./test/docs -update", troubleshooting)
	}
}

// withExamples returns the page with the example of each section replaced by a real condition.
func withExamples(t *testing.T, page string) string {
	t.Helper()
	conditions := readyConditions(t)
	var current strings.Builder
	reason, replaced := "", false
	for line := range strings.Lines(page) {
		if found := section.FindStringSubmatch(strings.TrimSuffix(line, "\n")); found != nil {
			reason = found[1]
		}
		replaced = replaced && line != "```\n"
		if replaced {
			continue
		}
		current.WriteString(line)
		if replaced = line == "```text\n"; replaced {
			shown, reached := conditions[reason]
			if !reached {
				t.Errorf("no spec reaches the reason %s: it needs one, or no example", reason)
			}
			current.WriteString(shown)
		}
	}
	return current.String()
}

// readyConditions returns the Ready condition, as `kubectl describe` prints it, for each reason
// that an object of config/argocd has. Services come before the other kinds.
func readyConditions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, kind := range []string{
		"BroadbandService", "ServiceOrder", "AppointmentRequest", "DiagnosticTest", "FibreBuildQuote",
		"PlanOptionsQuery", "HealthCheck", "CarrierAccount",
	} {
		paths, err := filepath.Glob(filepath.Join(objects, kind, "testdata", "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
		for _, path := range paths {
			reason, shown := readyCondition(t, kind, path)
			if _, there := found[reason]; !there {
				found[reason] = shown
			}
		}
	}
	return found
}

// rank puts an object that waits for a person before the other objects with the same reason.
func rank(path string) int {
	if strings.HasSuffix(path, "-stalled.yaml") {
		return 0
	}
	return 1
}

// readyCondition reads the condition Ready of an object in a file.
func readyCondition(t *testing.T, kind, path string) (reason, shown string) {
	t.Helper()
	read, err := os.ReadFile(path) //nolint:gosec // a file of this tree
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := yaml.Unmarshal(read, &object); err != nil {
		t.Fatal(err)
	}
	for _, condition := range object.Status.Conditions {
		if condition.Type == "Ready" {
			return condition.Reason, fmt.Sprintf(
				"Kind:  %s\nStatus:\n  Conditions:\n    Message:  %s\n    Reason:   %s\n    Status:   %s\n    Type:     Ready\n",
				kind, wrap(condition.Message), condition.Reason, condition.Status)
		}
	}
	t.Fatalf("%s has no condition Ready", path)
	return "", ""
}

// wrap breaks a message into lines that are indented as the first.
func wrap(message string) string {
	const most, indent = 84, "\n              "
	var wrapped strings.Builder
	column := 0
	for i, word := range strings.Fields(message) {
		switch {
		case i > 0 && column+1+len(word) > most:
			wrapped.WriteString(indent)
			column = 0
		case i > 0:
			wrapped.WriteString(" ")
			column++
		}
		wrapped.WriteString(word)
		column += len(word)
	}
	return wrapped.String()
}
