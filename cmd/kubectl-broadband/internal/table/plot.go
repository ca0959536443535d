// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"
)

// Bar is a day of a plot.
type Bar struct {
	Date  time.Time
	Value int64
	Text  string // the value, as it is shown
	Note  string // further information about the day
}

// The measures of a plot, in units of its view box.
const (
	plotWidth  = 900
	plotHeight = 220
	plotLeft   = 80 // for the numbers of the axis
	plotRight  = 20
	plotTop    = 25 // for the number of the highest bar
	plotBottom = 30 // for the dates

	barsWidth  = plotWidth - plotLeft - plotRight
	barsHeight = plotHeight - plotTop - plotBottom
	barsEnd    = plotTop + barsHeight

	mostDates = 8  // beneath the bars
	numbered  = 40 // the width of a bar that has its number above it
)

// Plot returns one bar for each day as an SVG element, with the numbers and the dates that it needs
// to be read on paper. It returns "" if no value is above 0.
func Plot(title string, bars []Bar) string {
	if !slices.ContainsFunc(bars, func(bar Bar) bool { return bar.Value > 0 }) {
		return ""
	}
	highest := slices.MaxFunc(bars, func(a, b Bar) int { return cmp.Compare(a.Value, b.Value) })
	wide := float64(barsWidth) / float64(len(bars))
	var plot strings.Builder
	fmt.Fprintf(&plot, "<div class=\"plot\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
		plotWidth, plotHeight, html.EscapeString(title))
	line(&plot, plotTop, highest.Text)
	line(&plot, barsEnd, "0")
	for i, bar := range bars {
		left := plotLeft + float64(i)*wide
		bar.write(&plot, left, wide, float64(max(bar.Value, 0))/float64(highest.Value)*barsHeight)
		if i%stride(len(bars)) == 0 {
			label(&plot, left+wide/2, barsEnd+18, bar.Date.Format(time.DateOnly))
		}
	}
	return plot.String() + "</svg></div>\n"
}

func stride(days int) int { return (days + mostDates - 1) / mostDates }

// write draws a bar with its day and value as a tooltip, and its number above it if there is room.
func (b Bar) write(plot *strings.Builder, left, wide, tall float64) {
	about := b.Date.Format(time.DateOnly) + ": " + b.Text
	if b.Note != "" {
		about += "; " + b.Note
	}
	fmt.Fprintf(plot, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#36c\">"+
		"<title>%s</title></rect>\n",
		left+wide*0.1, barsEnd-tall, wide*0.8, tall, html.EscapeString(about))
	if b.Value > 0 && wide >= numbered {
		label(plot, left+wide/2, barsEnd-tall-5, b.Text)
	}
}

func line(plot *strings.Builder, y int, value string) {
	fmt.Fprintf(plot, "<path d=\"M%d %dH%d\" stroke=\"#ccc\"/>"+
		"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
		plotLeft, y, plotWidth-plotRight, plotLeft-8, y+4, html.EscapeString(value))
}

func label(plot *strings.Builder, x, y float64, text string) {
	fmt.Fprintf(plot, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x, y, html.EscapeString(text))
}
