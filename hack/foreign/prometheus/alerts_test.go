// SPDX-License-Identifier: Apache-2.0

// Package prometheus_test runs the alerting rules of config/prometheus and the queries of the
// dashboard in Prometheus' own engine.
package prometheus_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v2"
)

const (
	rulesFile  = "../../../config/prometheus/rules.yaml"
	alertsFile = "testdata/alerts.yaml"
)

// testFile is a file of tests, in the form of promtool's.
type testFile struct {
	RuleFiles []string       `yaml:"rule_files"`
	Interval  model.Duration `yaml:"evaluation_interval"`
	Tests     []testCase     `yaml:"tests"`
}

type testCase struct {
	Name     string         `yaml:"name"`
	Interval model.Duration `yaml:"interval"`
	Series   []struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	} `yaml:"input_series"`
	Alerts []alertCase `yaml:"alert_rule_test"`
}

type alertCase struct {
	At   model.Duration `yaml:"eval_time"`
	Name string         `yaml:"alertname"`
	Want []struct {
		Labels map[string]string `yaml:"exp_labels"`
	} `yaml:"exp_alerts"`
}

// wanted returns the labels of the alerts that must fire.
func (a alertCase) wanted() []string {
	all := make([]string, 0, len(a.Want))
	for _, want := range a.Want {
		with := map[string]string{labels.AlertName: a.Name}
		maps.Copy(with, want.Labels)
		all = append(all, labels.FromMap(with).String())
	}
	slices.Sort(all)
	return all
}

func readTests(t *testing.T) testFile {
	t.Helper()
	text, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file testFile
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	file := readTests(t)
	for _, test := range file.Tests {
		t.Run(test.Name, func(t *testing.T) {
			test.run(t, time.Duration(file.Interval))
		})
	}
}

func (c testCase) run(t *testing.T, every time.Duration) {
	t.Helper()
	var input strings.Builder
	fmt.Fprintf(&input, "load %v\n", c.Interval)
	for _, series := range c.Series {
		fmt.Fprintf(&input, "  %s %s\n", series.Series, series.Values)
	}
	loader, groups := loaded(t, input.String(), every)
	last := time.Duration(slices.MaxFunc(c.Alerts, func(a, b alertCase) int { return int(a.At - b.At) }).At)
	for after := time.Duration(0); after <= last; after += every {
		firing := evaluated(t, loader, groups, time.Unix(0, 0).Add(after))
		for _, alert := range c.Alerts {
			if time.Duration(alert.At) == after && !slices.Equal(firing[alert.Name], alert.wanted()) {
				t.Errorf("%s after %v: %v fire, want %v", alert.Name, alert.At, firing[alert.Name], alert.wanted())
			}
		}
	}
}

// loaded returns series in a storage, and the rules that read them.
func loaded(t *testing.T, input string, every time.Duration) (*promqltest.LazyLoader, map[string]*rules.Group) {
	t.Helper()
	syntax := parser.NewParser(parser.Options{})
	loader, err := promqltest.NewLazyLoader(input, promqltest.LazyLoaderOpts{
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: syntax,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := loader.Close(); err != nil {
			t.Error(err)
		}
	})
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:    rules.EngineQueryFunc(loader.QueryEngine(), loader.Storage()),
		AppendableV2: loader.Storage(), Context: t.Context(), Parser: syntax,
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler),
	})
	groups, failures := manager.LoadGroups(every, labels.EmptyLabels(), "", nil, false, rulesFile)
	for _, failure := range failures {
		t.Error(failure)
	}
	return loader, groups
}

// evaluated evaluates all rules at a moment, and returns the labels of the firing alerts by name.
func evaluated(
	t *testing.T, loader *promqltest.LazyLoader, groups map[string]*rules.Group, now time.Time,
) map[string][]string {
	t.Helper()
	firing := map[string][]string{}
	loader.WithSamplesTill(now, func(err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range groups {
			group.Eval(t.Context(), now)
			for _, rule := range group.Rules() {
				firing[rule.Name()] = firingOf(t, rule)
			}
		}
	})
	return firing
}

func firingOf(t *testing.T, rule rules.Rule) []string {
	t.Helper()
	alerting, is := rule.(*rules.AlertingRule)
	if !is || rule.LastError() != nil {
		t.Fatalf("%s, an alert: %t: %v", rule.Name(), is, rule.LastError())
	}
	var all []string
	for _, alert := range alerting.ActiveAlerts() {
		if alert.State == rules.StateFiring {
			all = append(all, alert.Labels.String())
		}
	}
	slices.Sort(all)
	return all
}

// Each alert fires in a test, so that a renamed metric or label does not silence it unnoticed.
func TestEveryAlertFiresInATest(t *testing.T) {
	fires := map[string]bool{}
	for _, test := range readTests(t).Tests {
		for _, alert := range test.Alerts {
			fires[alert.Name] = fires[alert.Name] || len(alert.Want) > 0
		}
	}
	for _, alert := range alerts(t) {
		if !fires[alert.Alert] {
			t.Errorf("no test in %s lets %s fire", alertsFile, alert.Alert)
		}
		delete(fires, alert.Alert)
	}
	for name := range fires {
		t.Errorf("%s tests %s, which is no alert", alertsFile, name)
	}
}
