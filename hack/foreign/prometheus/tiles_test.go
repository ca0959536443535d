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

// drawTiles draws the first section of the dashboard as it was at the moment of the run at which most
// was wrong.
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

// tiles returns the picture: two tiles in a row, which can be read on a narrow screen, and the table
// below them.
func tiles(shown []panel, all []series, at int64) string {
	const wide, tall, each, gap = 200, 62, 2, 8
	var picture strings.Builder
	number, bottom := 0, 0
	for _, one := range shown {
		if one.Type != "stat" {
			continue
		}
		x, y := gap+number%each*(wide+gap), gap+number/each*(tall+gap)
		fmt.Fprintf(&picture, "<rect x='%d' y='%d' width='%d' height='%d' rx='4' fill='#f4f5f5' stroke='#c7c8ca'/>\n",
			x, y, wide, tall)
		place{x + 10, y + 20, 13, black}.write(&picture, one.Title)
		value, shade := present(one, all, at)
		place{x + 10, y + 50, 26, shade}.write(&picture, value)
		number, bottom = number+1, y+tall
	}
	bottom = notReady(&picture, all, at, bottom)
	return fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' width='600' viewBox='0 0 %d %d' "+
		"font-family='sans-serif'>\n<rect width='100%%' height='100%%' fill='#fff'/>\n%s</svg>\n",
		each*(wide+gap)+gap, bottom+20, picture.String())
}

// notReady writes the table below the tiles, and returns where it ends.
func notReady(picture *strings.Builder, all []series, at int64, bottom int) int {
	const tall = 22
	titled := false
	for _, one := range all {
		value := one.values[at]
		if one.panel.Type != "table" || value == 0 {
			continue
		}
		if !titled {
			bottom += tall + 8
			place{10, bottom, 14, black}.write(picture, one.panel.Title)
			titled = true
		}
		bottom += tall
		place{10, bottom, 13, black}.write(picture, one.labels.Get("kind"))
		place{160, bottom, 13, black}.write(picture, one.labels.Get("reason"))
		place{340, bottom, 13, black}.write(picture, strconv.FormatFloat(value, 'f', -1, 64))
	}
	return bottom
}

// black is the color of a text that is not a value.
const black = "#1f2328"

// noData is what Grafana writes in a panel whose query gives nothing.
const noData = "No data"

// present is the value of a panel at a moment, as Grafana writes it, and its color.
func present(one panel, all []series, at int64) (value, shade string) {
	for _, found := range all {
		number, is := found.values[at]
		if found.panel.ID != one.ID || !is {
			continue
		}
		value, shade = strconv.FormatFloat(number, 'f', -1, 64), hexOf(reached(one, number))
		if one.Field.Defaults.Unit == "s" {
			value = time.Duration(number * float64(time.Second)).Round(time.Second).String()
		}
		return value, shade
	}
	return noData, "#59636e"
}

// place is where a text is, and what it looks like.
type place struct {
	x, y, size int
	shade      string
}

func (p place) write(picture *strings.Builder, text string) {
	fmt.Fprintf(picture, "<text x='%d' y='%d' font-size='%d' fill='%s'>%s</text>\n", p.x, p.y, p.size, p.shade,
		html.EscapeString(text))
}
