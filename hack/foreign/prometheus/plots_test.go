// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The flags that `make plots` sets.
var (
	scrapesFile = flag.String("scrapes", "", "`file` with pages of metrics, one each second, to plot instead of one page")
	plotsFolder = flag.String("plots", "", "`folder` for the plots")
)

// plotted are the series that are plotted, and the time that they cover.
type plotted struct {
	span

	loader       *promqltest.LazyLoader
	rateInterval string
	folder       string
}

// Each panel that shows something over time is plotted from the run of its queries, so that the
// documentation shows what the dashboard does.
func TestEveryPanelOverTimeIsPlotted(t *testing.T) {
	p := toPlot(t)
	shown := 0
	for _, one := range panels(t) {
		if one.Type == overTime {
			shown++
			if lines := p.plot(t, one); lines == 0 && *scrapesFile != "" {
				t.Errorf("the panel %q shows nothing: the run of make plots must cause what it shows", one.Title)
			}
		}
	}
	p.drawTiles(t)
	written, err := filepath.Glob(filepath.Join(p.folder, "*.svg"))
	if err != nil || len(written) != shown+1 || shown < 20 {
		t.Fatalf("%d panels, %d plots: %v", shown, len(written), err)
	}
}

// toPlot returns the metrics of the run of `make plots`. Without a run, it returns those of the
// page that the other tests use.
func toPlot(t *testing.T) plotted {
	t.Helper()
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plotted{span: span{from: begin(), until: end(), step: time.Minute}, rateInterval: "5m"}
	p.folder = cmp.Or(*plotsFolder, t.TempDir())
	if *scrapesFile == "" {
		p.loader, _ = loaded(t, scraped(t), p.step)
		return p
	}
	text, pages := seriesOf(t, *scrapesFile)
	p.step, p.rateInterval = time.Second, "5s"
	p.until = begin().Add(time.Duration(pages-1) * time.Second)
	p.loader, _ = loaded(t, text, p.step)
	return p
}

// seriesOf reads pages of metrics as series, and returns how many pages there are.
func seriesOf(t *testing.T, file string) (text string, pages int) {
	t.Helper()
	read, err := os.ReadFile(file) //nolint:gosec // named by who makes the plots
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(read), "# end of the scrape\n")
	all = all[:len(all)-1]
	values := make(map[string][]string)
	for number, one := range all {
		for line := range strings.Lines(one) {
			line = strings.TrimSpace(line)
			at := strings.LastIndex(line, " ")
			if at < 0 || strings.HasPrefix(line, "#") {
				continue
			}
			name := labeled(line[:at])
			values[name] = append(absent(values[name], number), line[at+1:])
		}
	}
	var series strings.Builder
	series.WriteString("load 1s\n")
	for name, samples := range values {
		fmt.Fprintf(&series, "  %s %s\n", name, strings.Join(absent(samples, len(all)), " "))
	}
	return series.String(), len(all)
}

// absent pads the samples of a series for the pages that do not have it. As Prometheus does, it
// marks a series that disappears as stale.
func absent(samples []string, until int) []string {
	if 0 < len(samples) && len(samples) < until {
		samples = append(samples, "stale")
	}
	for len(samples) < until {
		samples = append(samples, "_")
	}
	return samples
}

// plot writes the plot of a panel, and returns how many lines it has.
func (p plotted) plot(t *testing.T, one panel) int {
	t.Helper()
	drawn := plot.New()
	unit, scale := unitOf(one)
	drawn.Title.Text, drawn.Y.Label.Text, drawn.Y.Min = one.Title, unit, 0
	drawn.Y.Tick.Marker, drawn.X.Tick.Marker = plainTicks{}, minutes{}
	drawn.X.Label.Text = "seconds since the start of the run"
	drawn.Add(plotter.NewGrid())
	var legend []entry
	for _, asked := range one.Targets {
		query := strings.ReplaceAll(asked.Query, "$__rate_interval", p.rateInterval)
		p.run(t, p.loader, query, func(all promql.Matrix) {
			for _, series := range all {
				if points := p.points(series, scale); len(points) > 0 {
					name := legendOf(asked, series.Metric)
					line := addLine(t, drawn, points, len(legend))
					line.Color = colorOf(one, name, len(legend))
					legend = append(legend, entry{name, line})
				}
			}
		})
	}
	if len(legend) == 0 {
		drawn.Y.Max = 1
	}
	drawn.X.Min, drawn.X.Max = 0, p.until.Sub(p.from).Seconds()
	save(t, drawn, legend, filepath.Join(p.folder, fileOf(one)))
	return len(legend)
}

// entry is a line of a plot with its name.
type entry struct {
	name string
	line *plotter.Line
}

// save writes a plot with its legend below it, where it covers no line.
func save(t *testing.T, drawn *plot.Plot, entries []entry, file string) {
	t.Helper()
	const (
		width, height = 13 * vg.Centimeter, 7 * vg.Centimeter // it can be read on a narrow screen, too
		columns, row  = 2, 0.42 * vg.Centimeter
	)
	below := vg.Length((len(entries)+columns-1)/columns)*row + row/2
	picture, err := draw.NewFormattedCanvas(width, height+below, "svg")
	if err != nil {
		t.Fatal(err)
	}
	canvas := draw.New(picture)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	drawn.Draw(draw.Crop(canvas, 0, 0, below, 0))
	for column := range columns {
		legend := plot.NewLegend()
		legend.Top, legend.Left = true, true
		for i := column; i < len(entries); i += columns {
			legend.Add(entries[i].name, entries[i].line)
		}
		legend.Draw(draw.Crop(canvas, vg.Centimeter+vg.Length(column)*width/columns, 0, 0, -height))
	}
	written, err := os.Create(file) //nolint:gosec // named by who makes the plots
	if err != nil {
		t.Fatal(err)
	}
	_, err = picture.WriteTo(written)
	if err = errors.Join(err, written.Close()); err != nil {
		t.Fatal(err)
	}
}

// points returns the samples of a series. It returns none if all are 0, so that the legend has only
// what happened. Samples that are not numbers, such as a quantile of nothing, are left out.
func (p plotted) points(series promql.Series, scale float64) plotter.XYs {
	points, most := make(plotter.XYs, 0, len(series.Floats)), 0.0
	for _, sample := range series.Floats {
		if !math.IsNaN(sample.F) && !math.IsInf(sample.F, 0) {
			since := time.UnixMilli(sample.T).Sub(p.from).Seconds()
			points, most = append(points, plotter.XY{X: since, Y: sample.F / scale}), max(most, sample.F)
		}
	}
	if most == 0 {
		return nil
	}
	return points
}

func addLine(t *testing.T, drawn *plot.Plot, points plotter.XYs, number int) *plotter.Line {
	t.Helper()
	line, err := plotter.NewLine(points)
	if err != nil {
		t.Fatal(err)
	}
	line.Dashes, line.Width = plotutil.Dashes(number/len(palette())), vg.Points(1.3)
	drawn.Add(line)
	return line
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// legendOf is the name of a series, as Grafana writes it.
func legendOf(asked target, series labels.Labels) string {
	return placeholder.ReplaceAllStringFunc(asked.Legend, func(found string) string {
		return series.Get(strings.Trim(found, "{}"))
	})
}

// unitOf is the unit of a panel, and what a value is divided by.
func unitOf(one panel) (unit string, scale float64) {
	const mebi = 1 << 20
	switch one.Field.Defaults.Unit {
	case "s":
		return "seconds", 1
	case "reqps":
		return "calls per second", 1
	case "ops":
		return "passes per second", 1
	case "bytes":
		return "MiB", mebi
	}
	if strings.Contains(one.Targets[0].Legend, "{{currency}}") {
		return "amount", 1
	}
	return "number", 1
}

// fileOf is the file of a panel: its title in small letters and dashes.
func fileOf(one panel) string {
	words := regexp.MustCompile(`[a-z0-9]+`).FindAllString(strings.ToLower(one.Title), -1)
	return strings.Join(words, "-") + ".svg"
}

const (
	dashboardPage = "../../../docs/dashboard.md"
	overTime      = "timeseries" // the type of the panels that are plotted
)

// The page describes the panels as the dashboard does. With -plots, the test writes that part of
// the page.
func TestThePageOfTheDashboardHasEveryPanel(t *testing.T) {
	text, err := os.ReadFile(dashboardPage)
	if err != nil {
		t.Fatal(err)
	}
	about, _, _ := strings.Cut(string(text), "\n## ")
	want := about + described(panels(t))
	if *plotsFolder != "" {
		if err = os.WriteFile(dashboardPage, []byte(want), 0o600); err != nil { //nolint:gosec // a page of this tree
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Fatal("docs/dashboard.md does not describe the panels as the dashboard does: run make plots")
	}
}

// Every panel is in a picture of the page.
func TestEveryPanelOfTheDashboardHasAPicture(t *testing.T) {
	folder := filepath.Join(filepath.Dir(dashboardPage), "dashboard")
	picture := func(one panel) string {
		drawn, err := os.ReadFile(filepath.Join(folder, fileOf(one))) //nolint:gosec // a file of this tree
		if err != nil {
			t.Errorf("run make plots: %v", err)
		}
		return string(drawn)
	}
	tiles := picture(panel{Title: needsPerson})
	if strings.Contains(tiles, noData) {
		t.Error("a panel of the picture of the section has no data: the run of make plots must cause what it shows")
	}
	for _, one := range section(panels(t), needsPerson) {
		if !strings.Contains(tiles, ">"+one.Title+"<") {
			t.Errorf("the picture of the section does not have the panel %q: run make plots", one.Title)
		}
	}
	for _, one := range panels(t) {
		if one.Type == overTime && !hasLine(picture(one)) {
			t.Errorf("the panel %q has a plot without a line: run make plots", one.Title)
		}
	}
}

// hasLine reports whether a plot has a line in one of the colors of lines.
func hasLine(drawn string) bool {
	all := slices.AppendSeq(palette(), maps.Values(named()))
	return slices.ContainsFunc(all, func(one color.RGBA) bool { return strings.Contains(drawn, hexOf(one)) })
}

// described is the part of the page that is about the panels.
func described(all []panel) string {
	var page strings.Builder
	for _, one := range all {
		switch one.Type {
		case "row":
			fmt.Fprintf(&page, "\n## %s\n", one.Title)
			if one.Title == needsPerson {
				fmt.Fprintf(&page, "\n![%s](dashboard/%s)\n", one.Title, fileOf(one))
			}
		case overTime:
			fmt.Fprintf(&page, "\n### %s\n\n%s\n\n![%s](dashboard/%s)\n", one.Title, one.About, one.Title, fileOf(one))
		default:
			fmt.Fprintf(&page, "\n**%s**: %s\n", one.Title, one.About)
		}
	}
	return page.String()
}

func TestTheLegendIsThatOfGrafana(t *testing.T) {
	t.Parallel()
	series := labels.FromStrings("method", "POST", "operation", "Health")
	if name := legendOf(target{Legend: "{{method}} {{operation}}"}, series); name != "POST Health" {
		t.Fatal(name)
	}
}
