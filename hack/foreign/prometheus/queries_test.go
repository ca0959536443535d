// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

const (
	// page is a page of metrics of a real manager, which internal/manager/metrics_page_test.go writes.
	page      = "testdata/metrics.txt"
	dashboard = "../../../config/grafana/broadband-operator.json"

	scrapes = 60 // one each minute
)

// added are the labels that a scrape adds.
const added = `instance="10.0.0.7:8443",job="broadband-operator"`

// scraped returns the page as Prometheus has it after an hour: counters have grown evenly from 0,
// and gauges have always had their value.
func scraped(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var series strings.Builder
	series.WriteString("load 1m\n")
	samples := constant
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "# TYPE "):
			samples = samplesOf(words[3])
		case !strings.HasPrefix(line, "#"):
			value, err := strconv.ParseFloat(words[len(words)-1], 64)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(strings.TrimSpace(line), " "+words[len(words)-1])
			fmt.Fprintf(&series, "  %s %s\n", labeled(name), samples(value))
		}
	}
	return series.String()
}

// labeled returns the name of a series with the labels that a scrape adds.
func labeled(series string) string {
	name, labels, _ := strings.Cut(strings.TrimSuffix(series, "}"), "{")
	return name + "{" + strings.TrimPrefix(labels+","+added, ",") + "}"
}

// samplesOf returns the samples of a metric of a type.
func samplesOf(kind string) func(float64) string {
	if kind == "counter" || kind == "histogram" {
		return growing
	}
	return constant
}

func growing(value float64) string { return fmt.Sprintf("0+%sx%d", number(value/scrapes), scrapes) }

func constant(value float64) string { return fmt.Sprintf("%sx%d", number(value), scrapes) }

func number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// The times of the first and the last scrape.
func begin() time.Time { return time.Unix(0, 0) }
func end() time.Time   { return begin().Add(scrapes * time.Minute) }

// ask runs a query from a time until the end, and returns how many series it gives.
func ask(t *testing.T, loader *promqltest.LazyLoader, query string, from time.Time) int {
	t.Helper()
	found := 0
	span{from: from, until: end(), step: time.Minute}.run(t, loader, query, func(all promql.Matrix) { found = len(all) })
	return found
}

// span is the time that a query is about.
type span struct {
	from, until time.Time
	step        time.Duration
}

// run runs a query, and passes its series to a function, which must not keep them.
func (s span) run(t *testing.T, loader *promqltest.LazyLoader, query string, use func(promql.Matrix)) {
	t.Helper()
	loader.WithSamplesTill(s.until, func(err error) {
		if err != nil {
			t.Fatal(err)
		}
		engine := promqltest.NewTestEngine(t, false, 5*time.Minute, 1_000_000)
		asked, err := engine.NewRangeQuery(t.Context(), loader.Queryable(), nil, query, s.from, s.until, s.step)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			return
		}
		defer asked.Close()
		result := asked.Exec(t.Context())
		matrix, err := result.Matrix()
		if err = errors.Join(result.Err, err); err != nil {
			t.Errorf("%s: %v", query, err)
			return
		}
		use(matrix)
	})
}

// panel is a panel of a Grafana dashboard, as far as it is tested.
type panel struct {
	ID    int    `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title"`
	About string `json:"description"`
	Field struct {
		Defaults struct {
			Unit       string `json:"unit"`
			Thresholds struct {
				Steps []step `json:"steps"`
			} `json:"thresholds"`
		} `json:"defaults"`
		Overrides []override `json:"overrides"`
	} `json:"fieldConfig"`
	Targets []target `json:"targets"`
}

type target struct {
	Query   string `json:"expr"`
	Legend  string `json:"legendFormat"`
	Instant bool   `json:"instant"`
}

func panels(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(dashboard)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Panels []panel `json:"panels"`
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatal(err)
	}
	return shown.Panels
}

// A query that gives nothing leaves its panel empty, which looks as if nothing had happened.
func TestEveryQueryOfTheDashboardGivesSomething(t *testing.T) {
	loader, _ := loaded(t, scraped(t), time.Minute)
	queries := 0
	for _, shown := range panels(t) {
		for _, target := range shown.Targets {
			queries++
			query, from := strings.ReplaceAll(target.Query, "$__rate_interval", "5m"), begin()
			if target.Instant {
				from = end()
			}
			if ask(t, loader, query, from) == 0 {
				t.Errorf("panel %q: %s gives nothing", shown.Title, target.Query)
			}
		}
	}
	t.Logf("%d queries", queries)
}

func TestEveryPanelExplainsWhatItShows(t *testing.T) {
	ids := map[int]bool{}
	for _, shown := range panels(t) {
		if ids[shown.ID] {
			t.Errorf("panel %q has the id of another", shown.Title)
		}
		ids[shown.ID] = true
		if shown.Type != "row" && (shown.About == "" || len(shown.Targets) == 0) {
			t.Errorf("panel %q has no description or no query", shown.Title)
		}
	}
}

// An alert compares a value with a limit, so it gives nothing while all is well. The value itself,
// and what absent() looks for, must exist.
func TestEveryAlertComparesSomething(t *testing.T) {
	loader, _ := loaded(t, scraped(t), time.Minute)
	syntax := parser.NewParser(parser.Options{})
	for _, alert := range alerts(t) {
		tree, err := syntax.ParseExpr(alert.Expr)
		if err != nil {
			t.Fatal(err)
		}
		value := compared(tree)
		if value == "" {
			t.Errorf("%s compares nothing: %s", alert.Alert, alert.Expr)
			continue
		}
		if ask(t, loader, value, end()) == 0 {
			t.Errorf("%s: %s gives nothing", alert.Alert, value)
		}
	}
}

// compared returns the value that an alert compares with a limit, or whose absence it reports.
func compared(tree parser.Expr) string {
	switch tree := tree.(type) {
	case *parser.BinaryExpr:
		if tree.Op.IsComparisonOperator() {
			return tree.LHS.String()
		}
	case *parser.Call:
		if tree.Func.Name == "absent" {
			return tree.Args[0].String()
		}
	}
	return ""
}

// The tests above notice a missing metric, because a query for it gives nothing.
func TestAMissingMetricIsNoticed(t *testing.T) {
	loader, _ := loaded(t, "load 1m\n  broadband_objects_stalled 1x60\n", time.Minute)
	if ask(t, loader, "max(broadband_services_drifted)", end()) != 0 {
		t.Error("a metric that does not exist gives something")
	}
	if ask(t, loader, "max(broadband_objects_stalled)", end()) != 1 {
		t.Error("a metric that exists gives nothing")
	}
}
