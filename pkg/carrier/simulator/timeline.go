package simulator

import (
	"slices"
	"time"
)

// timeline is a value over time.
type timeline[T any] []timelineEntry[T]

// timelineEntry is a value and the instant from which it applies.
type timelineEntry[T any] struct {
	At    time.Time `json:"at,omitzero"`
	Value T         `json:"value"`
}

// maxTimeline limits the number of entries. A service that changes more often loses the oldest.
const maxTimeline = 64

// newTimeline returns a timeline with one value for all time.
func newTimeline[T any](value T) timeline[T] {
	return timeline[T]{{Value: value}}
}

// at returns the value at an instant.
func (t timeline[T]) at(instant time.Time) T { return t.entryAt(instant).Value }

// changedAt returns the time from which the value at an instant applies, zero if it has always
// applied.
func (t timeline[T]) changedAt(instant time.Time) time.Time { return t.entryAt(instant).At }

// entryAt returns the entry that applies at an instant. It searches from the newest entry, because
// nearly all queries are about now.
func (t timeline[T]) entryAt(instant time.Time) timelineEntry[T] {
	for i := len(t) - 1; i > 0; i-- {
		if !t[i].At.After(instant) {
			return t[i]
		}
	}
	return t[0]
}

// set applies a value from an instant until the next known entry.
func (t *timeline[T]) set(at time.Time, value T) {
	i := len(*t)
	for i > 1 && (*t)[i-1].At.After(at) {
		i--
	}
	*t = slices.Insert(*t, i, timelineEntry[T]{At: at, Value: value})
	if len(*t) > maxTimeline {
		*t = slices.Delete(*t, 0, 1)
	}
}
