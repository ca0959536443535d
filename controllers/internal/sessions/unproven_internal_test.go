// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"fmt"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// conversions sends conversions of 30 services for half an hour, a gateway answering each with 503,
// while reads are answered. It returns how many were sent.
func conversions(b *breaker, advance func(time.Duration)) (sent int) {
	for range 30 * 60 {
		if b.enterNever() == 0 {
			if had, wait := b.enter(); wait == 0 {
				sent++
				had.never, had.request = true, fmt.Sprintf("AggregationConversion for bbs/site-%d", sent%30)
				b.posted(carrier.ClassNever, carrier.Ambiguous, had)
				b.leave()
			}
		}
		b.responded()
		advance(time.Second)
	}
	return sent
}

func TestNoThirdRequestOfClassNeverIsSentWithoutEvidence(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		then func(*breaker)
		more int
	}{
		"nothing happens":        {func(*breaker) {}, 0},
		"reads are answered":     {func(b *breaker) { b.posted(carrier.ClassQuery, carrier.Accepted, ticket{}) }, 0},
		"another object settles": {func(b *breaker) { b.settled("OrderCreate for sorder/other") }, 0},
		"one of them is settled": {func(b *breaker) { b.settled("AggregationConversion for bbs/site-1") }, 1},
		"a request that may be repeated is accepted": {
			func(b *breaker) { b.posted(carrier.ClassConverge, carrier.Accepted, ticket{}) }, 2,
		},
		"the carrier refuses one": {
			func(b *breaker) { b.posted(carrier.ClassNever, carrier.Rejected, ticket{never: true}) }, 2,
		},
	} {
		b, advance := patience()
		if sent := conversions(b, advance); sent != 2 {
			t.Errorf("%s: %d conversions were sent before it, want 2", name, sent)
		}
		if shown := b.state().Unproven; shown.Count != 2 || shown.Before != "AggregationConversion for bbs/site-1" {
			t.Errorf("%s: %+v is shown", name, shown)
		}
		test.then(b)
		if more := conversions(b, advance); more != test.more {
			t.Errorf("%s: %d conversions were sent after it, want %d", name, more, test.more)
		}
	}
}

// What may be verified or repeated is sent as after any lost response.
func TestOtherRequestsAreSentWhileClassNeverWaits(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	conversions(b, advance)
	advance(time.Hour)
	b.responded()
	if _, wait := b.enter(); wait > 0 || b.enterNever() == 0 {
		t.Errorf("a plan change waits %s, and a conversion %s", wait, b.enterNever())
	}
}

// Only this process knows the responses, so a restart costs at most two more requests without
// evidence.
func TestARestartCostsTwoMoreRequestsOfClassNever(t *testing.T) {
	t.Parallel()
	for range 3 {
		b, advance := patience()
		if sent := conversions(b, advance); sent != 2 {
			t.Errorf("%d conversions were sent by one process", sent)
		}
	}
}
