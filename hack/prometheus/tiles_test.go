// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
)

// needsPerson is the section of the dashboard whose panels show one number each, and a table.
const needsPerson = "What needs a person"

// series are the samples of one row of a panel that shows only the present values.
type series struct {
	panel  panel
	labels labels.Labels
	values map[int64]float64 // by time, in milliseconds
}

// section returns the panels of a section.
func section(all []panel, title string) []panel {
	var found []panel
	within := false
	for _, one := range all {
		if one.Type == "row" {
			within = one.Title == title
		} else if within {
			found = append(found, one)
		}
	}
	return found
}

// drawTiles draws the first section of the dashboard as it was at the moment of the run at which it
// had most to show.
func (p plotted) drawTiles(t *testing.T) {
	t.Helper()
	shown := section(panels(t), needsPerson)
	var all []series
	for _, one := range shown {
		p.run(t, p.loader, one.Targets[0].Query, func(matrix promql.Matrix) {
			for _, found := range matrix {
				all = append(all, series{one, found.Metric, valuesOf(found)})
			}
		})
	}
	at := busiest(all, p.span)
	file := filepath.Join(p.folder, fileOf(panel{Title: needsPerson}))
	if err := os.WriteFile(file, []byte(tiles(shown, all, at)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func valuesOf(found promql.Series) map[int64]float64 {
	values := make(map[int64]float64, len(found.Floats))
	for _, sample := range found.Floats {
		values[sample.T] = sample.F
	}
	return values
}

// busiest returns the moment at which most rows are not 0; of several, that of the highest numbers.
func busiest(all []series, within span) (at int64) {
	most := -1.0
	for moment := within.from; !moment.After(within.until); moment = moment.Add(within.step) {
		sum := 0.0
		for _, one := range all {
			const row = 1e6 // more than all numbers
			if value := one.values[moment.UnixMilli()]; value != 0 && one.panel.Field.Defaults.Unit == "s" {
				sum += row
			} else if value != 0 {
				sum += row + value
			}
		}
		if sum > most {
			most, at = sum, moment.UnixMilli()
		}
	}
	return at
}

// tiles returns the picture: four tiles in a row, and the table below them.
func tiles(shown []panel, all []series, at int64) string {
	const wide, tall, each = 190, 76, 4
	var picture strings.Builder
	number, bottom := 0, 0
	for _, one := range shown {
		if one.Type != "stat" {
			continue
		}
		x, y := 10+number%each*(wide+10), 10+number/each*(tall+10)
		fmt.Fprintf(&picture, "<rect x='%d' y='%d' width='%d' height='%d' rx='4' fill='#f4f5f5' stroke='#c7c8ca'/>\n",
			x, y, wide, tall)
		text(&picture, x+10, y+22, 13, one.Title)
		text(&picture, x+10, y+60, 28, present(one, all, at))
		number, bottom = number+1, y+tall
	}
	for _, one := range all {
		if value := one.values[at]; one.panel.Type == "table" && value != 0 {
			if bottom += 22; !strings.Contains(picture.String(), one.panel.Title) {
				text(&picture, 10, bottom+10, 14, one.panel.Title)
				bottom += 30
			}
			text(&picture, 10, bottom, 13, one.labels.Get("kind"))
			text(&picture, 210, bottom, 13, one.labels.Get("reason"))
			text(&picture, 410, bottom, 13, strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
	return fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 810 %d' font-family='sans-serif'>\n"+
		"<rect width='100%%' height='100%%' fill='#fff'/>\n%s</svg>\n", bottom+20, picture.String())
}

// present is the value of a panel at a moment, as Grafana writes it.
func present(one panel, all []series, at int64) string {
	for _, found := range all {
		value, is := found.values[at]
		switch {
		case found.panel.ID != one.ID || !is:
		case one.Field.Defaults.Unit == "s":
			return time.Duration(value * float64(time.Second)).Round(time.Second).String()
		default:
			return strconv.FormatFloat(value, 'f', -1, 64)
		}
	}
	return "No data"
}

func text(picture *strings.Builder, x, y, size int, content string) {
	fmt.Fprintf(picture, "<text x='%d' y='%d' font-size='%d'>%s</text>\n", x, y, size, html.EscapeString(content))
}
