// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve is a line of a plot: how large a share of the durations is at most as long.
type curve struct {
	name      string
	durations []time.Duration
}

// points are the corners of the curve: it rises by one share at each duration.
func (c curve) points() plotter.XYs {
	points := make(plotter.XYs, 0, len(c.durations)+1)
	points = append(points, plotter.XY{})
	for i, one := range slices.Sorted(slices.Values(c.durations)) {
		points = append(points, plotter.XY{X: one.Seconds(), Y: 100 * float64(i+1) / float64(len(c.durations))})
	}
	return points
}

// colors of the contestants, which differ for people who do not see red and green.
func colors() map[string]color.Color {
	return map[string]color.Color{
		product:   color.RGBA{R: 0, G: 114, B: 178, A: 255},
		naiveName: color.RGBA{R: 213, G: 94, B: 0, A: 255},
		limitName: color.RGBA{R: 90, G: 90, B: 90, A: 255},
	}
}

// drawCurves draws a plot as SVG.
func drawCurves(out io.Writer, title string, curves []curve) error {
	const width, height = 15 * vg.Centimeter, 8 * vg.Centimeter
	drawn := plot.New()
	drawn.Title.Text, drawn.X.Label.Text, drawn.Y.Label.Text = title, "seconds", "% of the changes"
	drawn.Y.Min, drawn.Y.Max, drawn.X.Min = 0, 100, 0
	drawn.Legend.Left, drawn.Legend.YOffs = false, 0
	drawn.Add(plotter.NewGrid())
	for _, one := range curves {
		line, err := plotter.NewLine(one.points())
		if err != nil {
			return fmt.Errorf("draw %s: %w", one.name, err)
		}
		line.StepStyle, line.Width, line.Color = plotter.PostStep, vg.Points(1.5), colors()[one.name]
		drawn.Add(line)
		drawn.Legend.Add(one.name, line)
	}
	picture, err := draw.NewFormattedCanvas(width, height, "svg")
	if err != nil {
		return fmt.Errorf("make a picture: %w", err)
	}
	canvas := draw.New(picture)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	drawn.Draw(canvas)
	_, err = picture.WriteTo(out)
	return errors.Join(err)
}

// curvesOf returns a curve for each contestant of a scenario that has durations.
func curvesOf(results []result, scenario string, of func(*result) []time.Duration) []curve {
	var curves []curve
	for i := range results {
		if r := &results[i]; r.scenario == scenario && len(of(r)) > 0 {
			curves = append(curves, curve{r.contestant, of(r)})
		}
	}
	return curves
}
