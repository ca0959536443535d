// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// silent is a breaker whose carrier does not answer, with its clock.
func silent(t *testing.T) (b *breaker, now *time.Time) {
	t.Helper()
	now = new(time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC))
	b = &breaker{now: func() time.Time { return *now }}
	fallSilentIn(b, now)
	return b, now
}

// fallSilentIn lets calls fail until the carrier counts as silent.
func fallSilentIn(b *breaker, now *time.Time) {
	for !b.unanswered(&carrier.Error{Class: carrier.Unreachable}) {
		*now = now.Add(30 * time.Second)
	}
}

// readsIn counts the reads of a silent carrier within a time.
func readsIn(b *breaker, now *time.Time, span time.Duration) (reads int) {
	for end := now.Add(span); ; {
		due, at := b.checkRecovery()
		if due {
			reads++
		}
		if !at.Before(end) {
			*now = end
			return reads
		}
		*now = at
	}
}

func TestASilentCarrierIsReadEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	b, now := silent(t)
	if reads := readsIn(b, now, time.Hour); reads < 12 || reads > 15 {
		t.Errorf("it is read %d times in the first hour", reads)
	}
	if reads := readsIn(b, now, 23*time.Hour); reads != 23*12 {
		t.Errorf("it is read %d times in the next 23 hours", reads)
	}
	b.responded()
	if due, at := b.checkRecovery(); due || !at.IsZero() {
		t.Errorf("a carrier that answers is read at %s", at)
	}
}

// Each such answer lets all objects of the account be read again.
func TestACarrierThatAnswersOnlyTheseReadsGetsThemAtGrowingPauses(t *testing.T) {
	t.Parallel()
	b, now := silent(t)
	answers := 0
	for end := now.Add(48 * time.Hour); now.Before(end); answers++ {
		for due := false; !due; {
			var at time.Time
			if due, at = b.checkRecovery(); !due {
				*now = at
			}
		}
		b.responded()
		fallSilentIn(b, now)
	}
	if answers > 16 {
		t.Errorf("it answered %d times in two days", answers)
	}
	b.responded()
	*now = now.Add(24 * time.Hour)
	fallSilentIn(b, now)
	if reads := readsIn(b, now, time.Hour); reads < 12 {
		t.Errorf("after a day without silence it is read %d times an hour", reads)
	}
}
