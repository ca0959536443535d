// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"slices"
	"time"
)

// quantile returns the duration that the given share of the durations does not exceed; zero if there
// are none.
func quantile(durations []time.Duration, share float64) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(durations))
	at := int(math.Ceil(share*float64(len(sorted)))) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}

func mean(durations []time.Duration) time.Duration {
	var sum time.Duration
	for _, one := range durations {
		sum += one
	}
	return sum / time.Duration(max(1, len(durations)))
}

// ratio returns a / b; NaN if there is no b.
func ratio[N int | float64 | time.Duration](a, b N) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}
