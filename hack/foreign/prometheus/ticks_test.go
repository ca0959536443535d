// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// plainTicks are the ticks of gonum, with numbers as people write them.
type plainTicks struct{}

func (plainTicks) Ticks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i, tick := range ticks {
		if tick.Label != "" {
			const places = 1e6
			ticks[i].Label = strconv.FormatFloat(math.Round(tick.Value*places)/places, 'f', -1, 64)
		}
	}
	return ticks
}

// minutes are ticks at each minute of an axis in seconds.
type minutes struct{}

func (minutes) Ticks(_, most float64) []plot.Tick {
	var ticks []plot.Tick
	for at := 0; float64(at) <= most; at += 60 {
		ticks = append(ticks, plot.Tick{Value: float64(at), Label: strconv.Itoa(at)})
	}
	return ticks
}
