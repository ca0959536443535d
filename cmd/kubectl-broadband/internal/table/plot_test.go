// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// days are bars for consecutive days.
func days(values ...int64) []table.Bar {
	bars := make([]table.Bar, 0, len(values))
	for i, value := range values {
		date := time.Date(2026, time.November, 1+i, 0, 0, 0, 0, time.UTC)
		bars = append(bars, table.Bar{Date: date, Value: value, Text: strconv.FormatInt(value, 10)})
	}
	return bars
}

var plottedText = regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)

// texts returns the texts of a plot beside its bars. The plot has to be well-formed, with no bar of a
// negative height.
func texts(t *testing.T, plot string) string {
	t.Helper()
	if err := xml.Unmarshal([]byte("<plot>"+plot+"</plot>"), &struct{}{}); err != nil {
		t.Fatalf("%v in %s", err, plot)
	}
	if strings.Contains(plot, `height="-`) {
		t.Errorf("a bar has a negative height: %s", plot)
	}
	found := make([]string, 0, strings.Count(plot, "<text "))
	for _, match := range plottedText.FindAllStringSubmatch(plot, -1) {
		found = append(found, match[1])
	}
	return strings.Join(found, " ")
}

func TestAPlotHasNumbersAndDates(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		bars []table.Bar
		want string // the highest value, 0, and then dates, with the values of the bars if there is room
	}{
		"few days":  {days(2, 0, 7), "7 0 2 2026-11-01 2026-11-02 7 2026-11-03"},
		"many days": {days(make([]int64, 24)...), ""},
		"a month": {
			append(days(5), days(make([]int64, 30)...)[1:]...),
			"5 0 2026-11-01 2026-11-05 2026-11-09 2026-11-13 2026-11-17 2026-11-21 2026-11-25 2026-11-29",
		},
		"a credit": {days(3, -4), "3 0 3 2026-11-01 2026-11-02"},
		"nothing":  {days(0, 0), ""},
		"no day":   {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := texts(t, table.Plot("Requests", one.bars)); got != one.want {
				t.Errorf("the plot has %q, not %q", got, one.want)
			}
		})
	}
}

func TestAPlotHidesNothingInItsTexts(t *testing.T) {
	t.Parallel()
	bars := days(1)
	bars[0].Text, bars[0].Note = "<b>1</b>", "2 prices & more"
	plot := table.Plot(`"Fees" & others`, bars)
	texts(t, plot)
	if !strings.Contains(plot, "<title>2026-11-01: &lt;b&gt;1&lt;/b&gt;; 2 prices &amp; more</title>") {
		t.Errorf("the bar does not say what it is: %s", plot)
	}
}
