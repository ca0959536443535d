// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strconv"
	"testing"
	"time"
)

func TestIntervalSlotsAreSpreadAndStable(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	hours := map[int]bool{}
	for object := range 200 {
		uid := strconv.Itoa(object)
		first := NextAtInterval(uid, day, noon)
		if !first.After(noon) || first.Sub(noon) > day {
			t.Fatalf("the next slot after %v is %v", noon, first)
		}
		if second := NextAtInterval(uid, day, first); second.Sub(first) != day {
			t.Fatalf("slots are %v apart", second.Sub(first))
		}
		hours[first.Hour()] = true
	}
	if len(hours) < 20 {
		t.Fatalf("200 objects read in only %d hours of the day", len(hours))
	}
}

func TestBackoffGrowsToFiveMinutes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]time.Duration{
		0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second, 6: 160 * time.Second,
		7: 5 * time.Minute, 1 << 20: 5 * time.Minute,
	} {
		if got := Backoff(n); got != want {
			t.Errorf("Backoff(%d) is %v, want %v", n, got, want)
		}
	}
}
