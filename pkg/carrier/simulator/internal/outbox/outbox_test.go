package outbox_test

import (
	"slices"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/outbox"
)

// filled returns an outbox with events that are due after these seconds, numbered from 1.
func filled(start time.Time, seconds ...int) *outbox.Outbox {
	box := outbox.New()
	for i, after := range seconds {
		box.Put(&outbox.Event{Number: int64(i + 1), NextAt: start.Add(time.Duration(after) * time.Second)})
	}
	return &box
}

// takeDue takes all events that are due, and returns their numbers.
func takeDue(box *outbox.Outbox, now time.Time) []int64 {
	var numbers []int64
	for e := box.Due(now); e != nil; e = box.Due(now) {
		numbers = append(numbers, e.Number)
	}
	return numbers
}

// TestEventsAreDueInOrder checks that events are ordered by time, and those that are due at the
// same time by number.
func TestEventsAreDueInOrder(t *testing.T) {
	start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	box := filled(start, 2, 1, 3, 1)
	for after, want := range [][]int64{nil, {2, 4}, {1}, {3}} {
		now := start.Add(time.Duration(after) * time.Second)
		if got := takeDue(box, now); !slices.Equal(got, want) {
			t.Errorf("after %d s events %v are due, want %v", after, got, want)
		}
	}
}

// TestEventsWaitUntilTheyAreDropped takes an event, puts it back and drops it.
func TestEventsWaitUntilTheyAreDropped(t *testing.T) {
	start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	box := filled(start, 0)
	taken := box.Due(start)
	if box.Due(start) != nil || box.Len() != 1 {
		t.Errorf("an event is due twice, or %d events wait, want 1", box.Len())
	}
	taken.NextAt = start.Add(time.Second)
	box.Put(taken)
	copies := box.Copies()
	if len(copies) != 1 || copies[0] == taken || copies[0].NextAt != taken.NextAt {
		t.Errorf("copies %+v of %+v", copies, taken)
	}
	box.Drop(box.Due(taken.NextAt))
	if box.Len() != 0 {
		t.Errorf("%d events wait after the only one was dropped", box.Len())
	}
}
