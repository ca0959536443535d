// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// patience is a breaker whose clock the test moves.
func patience() (*breaker, func(time.Duration)) {
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	return &breaker{now: func() time.Time { return now }}, func(by time.Duration) { now = now.Add(by) }
}

func TestBreakerLetsOneTryAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	if wait := b.enter(); wait != 0 {
		t.Fatalf("closed, and yet one waits %v", wait)
	}
	b.posted(carrier.ClassCharge, carrier.Ambiguous)
	if wait := b.enter(); wait != breakerPause {
		t.Fatalf("just opened: one waits %v", wait)
	}
	advance(breakerPause)
	if wait := b.enter(); wait != 0 {
		t.Fatalf("the first after five minutes waits %v", wait)
	}
	if wait := b.enter(); wait != probePause {
		t.Fatalf("the second waits %v beside the first", wait)
	}
	advance(probeLimit)
	if wait := b.enter(); wait != 0 {
		t.Fatalf("a try that never came back keeps the next waiting %v", wait)
	}
}

func TestBreakerClosesOnASignOfLife(t *testing.T) {
	t.Parallel()
	for sign, give := range map[string]func(*breaker, func(time.Duration)){
		"an answered poll":  func(b *breaker, _ func(time.Duration)) { b.answered() },
		"an accepted query": func(b *breaker, _ func(time.Duration)) { b.posted(carrier.ClassQuery, carrier.Accepted) },
		"an answer to the one try": func(b *breaker, advance func(time.Duration)) {
			advance(breakerPause)
			b.enter()
			b.posted(carrier.ClassCharge, carrier.Rejected)
		},
	} {
		b, advance := patience()
		b.posted(carrier.ClassCharge, carrier.Ambiguous)
		give(b, advance)
		if wait := b.enter(); wait != 0 || !b.until().IsZero() {
			t.Errorf("after %s one still waits %v", sign, wait)
		}
	}
}

func TestBreakerStaysOpenOnWhatProvesNothing(t *testing.T) {
	t.Parallel()
	b, _ := patience()
	b.posted(carrier.ClassCharge, carrier.Ambiguous)
	for _, delivery := range []carrier.Delivery{carrier.NotSent, carrier.NotProcessed} {
		b.posted(carrier.ClassQuery, delivery)
	}
	if wait := b.enter(); wait == 0 {
		t.Error("a call that was not answered closed the breaker")
	}
}
