// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// PollTimes has the polling times of each operation of which enough is known: the times since a
// request was submitted, in order.
type PollTimes map[carrier.Operation][]time.Duration

// Durations are how long the newest requests of an operation took at a carrier, as far as polls
// have shown it.
type Durations struct {
	newest []time.Duration // at most mostDurations
	next   int             // which of them is replaced next
}

const (
	// mostDurations is how many durations are kept.
	mostDurations = 128
	// enoughDurations is the least number of durations from which polling times are learned.
	enoughDurations = 16
	// pollPrice is how much later an end may be noticed, per request, for one poll less.
	pollPrice = 6 * time.Second
)

// Add adds the duration of a request that was in progress at one poll and had ended at a later one.
// The mean of the two times counts, so that later requests are also polled between them.
func (d *Durations) Add(before, after time.Duration) {
	took := (max(before, 0) + max(after, 0)) / 2
	if len(d.newest) < mostDurations {
		d.newest = append(d.newest, took)
		return
	}
	d.newest[d.next] = took
	d.next = (d.next + 1) % mostDurations
}

// PollTimes returns when to poll a request that takes as long as one of the known ones, with pauses
// of at least least; nil if too little is known. The times are chosen from the ends of the known
// ones, so that the sum of all lateness and of pollPrice for each poll is lowest.
func (d *Durations) PollTimes(least time.Duration) []time.Duration {
	if len(d.newest) < enoughDurations {
		return nil
	}
	known := sortedDurations(d.newest)
	plans := make([]pollPlan, len(known.durations)+1) // the index is how many of the durations are over
	for over := len(known.durations) - 1; over >= 0; over-- {
		plans[over] = known.cheapest(over, least, plans)
	}
	var times []time.Duration
	last := time.Duration(0)
	for over := 0; over < len(known.durations); over = plans[over].over {
		last = max(plans[over].at, last+least)
		times = append(times, last)
	}
	return times
}

// pollPlan is the next poll, with the cost of this poll and all later polls.
type pollPlan struct {
	at   time.Duration
	over int // how many of the durations are over by then
	cost time.Duration
}

// durations holds sorted durations; sums has the sum of the first n of them at index n.
type durations struct {
	durations []time.Duration
	sums      []time.Duration
}

func sortedDurations(unsorted []time.Duration) durations {
	known := durations{durations: slices.Sorted(slices.Values(unsorted)), sums: []time.Duration{0}}
	for i, took := range known.durations {
		known.sums = append(known.sums, known.sums[i]+took)
	}
	return known
}

// cheapest returns the cheapest next poll once this many durations are over, given the plans for
// all higher numbers.
func (d *durations) cheapest(over int, least time.Duration, plans []pollPlan) (best pollPlan) {
	soonest := least
	if over > 0 {
		soonest += d.durations[over-1]
	}
	for _, ends := range d.durations[over:] {
		at := max(ends, soonest)
		next, _ := slices.BinarySearch(d.durations, at+1)
		late := time.Duration(next-over)*at - (d.sums[next] - d.sums[over])
		cost := late + pollPrice*time.Duration(len(d.durations)-over) + plans[next].cost
		if best.over == 0 || cost < best.cost {
			best = pollPlan{at: at, over: next, cost: cost}
		}
	}
	return best
}
