// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// NextSlot returns the first slot of an interval after a given time. Slots are a pure function of
// UID and interval, so a restart adds no reading.
func NextSlot(uid string, interval time.Duration, after time.Time) time.Time {
	offset := time.Duration(fraction(uid) * float32(interval))
	return nextMultiple(time.Unix(0, 0).Add(offset), interval, after)
}

// nextMultiple returns the first of start, start+step, start+2*step, … after a given time.
func nextMultiple(start time.Time, step time.Duration, after time.Time) time.Time {
	if start.After(after) {
		return start
	}
	passed := after.Sub(start) % step
	return after.Add(step - passed)
}

// fraction spreads ids evenly over [0, 1).
func fraction(id string) float32 {
	sum := sha256.Sum256([]byte(id))
	return float32(binary.BigEndian.Uint32(sum[:])>>8) / (1 << 24)
}

// Backoff is the wait before the n-th attempt after a failure, with n starting at 1: it doubles
// from 5 s up to 5 min.
func Backoff(n int) time.Duration { return doubling(n, shortestBackoff, 5*time.Minute) }

const shortestBackoff = 5 * time.Second

// doubling returns the n-th of a series of pauses, with n starting at 1: it starts with the
// shortest and doubles up to the longest.
func doubling(n int, shortest, longest time.Duration) time.Duration {
	return min(shortest<<min(max(n-1, 0), 20), longest)
}

// Earlier returns the earlier of two times; zero means never.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
