// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/quick"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// follow polls requests of a carrier, one after another, and learns from them as the operator does. It
// returns how often a request was polled, and how late its end was noticed, on average of those after
// the first 200.
func follow(operation carrier.Operation, took func(*rand.Rand) time.Duration) (polls, late float64) {
	const requests, warmUp = 1200, 200
	random := rand.New(rand.NewPCG(52, 53)) //nolint:gosec // the same requests in each run
	start := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	known, account := Durations{}, Account{PollTimes: make(PollTimes)}
	for i := range requests {
		ends, last, count := start.Add(took(random)), start, 0
		uid := string(rune('a' + i%26))
		for ; last.Before(ends) || count == 0; count++ {
			look := curveOf(operation, &account)
			next := Later(look.next(start, uid, last), last.Add(look.least))
			if !next.Before(ends) {
				known.Add(last.Sub(start), next.Sub(start))
			}
			last = next
		}
		if i%8 == 0 {
			account.PollTimes[operation] = known.PollTimes(curveOf(operation, &account).least)
		}
		if i >= warmUp {
			polls += float64(count) / (requests - warmUp)
			late += last.Sub(ends).Seconds() / (requests - warmUp)
		}
	}
	return polls, late
}

func constant(took time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return took }
}

func lognormal(random *rand.Rand) time.Duration {
	return time.Duration(30 * math.Exp(random.NormFloat64()) * float64(time.Second))
}

// Without what was learned, a change that takes 2 s is polled once and noticed 3.6 s late, one that
// takes 30 s is polled 4 times and noticed 16 s late, and one with a lognormal duration (median 30 s,
// sigma 1) is polled 4 times and noticed 14 s late.
func TestPollsLearnHowLongRequestsTake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		took                func(*rand.Rand) time.Duration
		mostPolls, mostLate float64 // polls, seconds
	}{
		"2 s":       {constant(2 * time.Second), 1.3, 1},
		"30 s":      {constant(30 * time.Second), 2.1, 2},
		"lognormal": {lognormal, 2.7, 17},
	} {
		polls, late := follow(carrier.PlanChange, test.took)
		t.Logf("%s: %.2f polls, %.2f s late", name, polls, late)
		if polls > test.mostPolls || late > test.mostLate {
			t.Errorf("%s: %.2f polls, want at most %.1f; %.2f s late, want at most %.1f",
				name, polls, test.mostPolls, late, test.mostLate)
		}
	}
}

// A carrier that becomes quicker is noticed, because a request counts as ended in the middle between
// two polls.
func TestPollsNoticeThatACarrierBecomesQuicker(t *testing.T) {
	t.Parallel()
	requests := 0
	polls, late := follow(carrier.PlanChange, func(*rand.Rand) time.Duration {
		requests++
		if requests < 200 {
			return time.Minute
		}
		return 10 * time.Second
	})
	if late > 4 {
		t.Errorf("%.2f polls, %.2f s late", polls, late)
	}
}

// durationsFrom makes durations of any numbers.
func durationsFrom(seconds []uint16) *Durations {
	known := &Durations{}
	for _, second := range seconds {
		took := time.Duration(second) * time.Second
		known.Add(took, took)
	}
	return known
}

func TestLearnedPollsKeepTheLeastPause(t *testing.T) {
	t.Parallel()
	property := func(seconds []uint16, least uint8) bool {
		pause := time.Duration(least) * time.Second
		times := durationsFrom(seconds).PollTimes(pause)
		last := time.Duration(0)
		for _, at := range times {
			if at < last+pause {
				return false
			}
			last = at
		}
		return (times == nil) == (len(seconds) < enoughDurations)
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

// costOf is what polls at these times cost for durations: their lateness, and the price of each poll.
func costOf(times, took []time.Duration) (cost time.Duration) {
	for _, ends := range took {
		for _, at := range times {
			cost += pollPrice
			if at >= ends {
				cost += at - ends
				break
			}
		}
	}
	return cost
}

// chosen returns the last of some times in order, and those whose bit is set.
func chosen(times []time.Duration, bits int) (some []time.Duration) {
	sorted := slices.Sorted(slices.Values(times))
	for i, at := range sorted {
		if bits>>i&1 == 1 || i == len(sorted)-1 {
			some = append(some, at)
		}
	}
	return some
}

// Every choice of times at which a request ends is tried, if the last one ends by the last of them.
func TestNoOtherPollsAreCheaper(t *testing.T) {
	t.Parallel()
	property := func(few [8]uint8) bool {
		seconds := make([]uint16, 0, enoughDurations)
		for i := range enoughDurations {
			seconds = append(seconds, uint16(few[i%len(few)]))
		}
		known := durationsFrom(seconds)
		best := costOf(known.PollTimes(0), known.newest)
		for choice := range 1 << (len(few) - 1) {
			if costOf(chosen(known.newest[:len(few)], choice), known.newest) < best {
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

// The account's bounds count, whatever was learned.
func TestLearnedPollsKeepTheBoundsOfTheAccount(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	c := curve{
		shortest: 10 * time.Second, first: 10 * time.Second, longest: time.Minute,
		learned: []time.Duration{time.Second, 2 * time.Second, 10 * time.Minute},
	}
	last := start
	for range 30 {
		next := c.next(start, "uid", last)
		if pause := next.Sub(last); pause < c.shortest || pause > c.longest*5/4 {
			t.Fatalf("the pause after %s is %s", last.Sub(start), pause)
		}
		last = next
	}
}
