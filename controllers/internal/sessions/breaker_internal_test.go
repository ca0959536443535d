// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// patience is a breaker whose clock the test moves.
func patience() (*breaker, func(time.Duration)) {
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	return &breaker{now: func() time.Time { return now }}, func(by time.Duration) { now = now.Add(by) }
}

// send makes a chargeable request with this outcome; it fails if the breaker does not admit it.
func send(t *testing.T, b *breaker, delivery carrier.Delivery) {
	t.Helper()
	had, wait := b.enter()
	if wait > 0 {
		t.Fatalf("a request that costs waits %s", wait)
	}
	b.posted(carrier.ClassCharge, delivery, had)
	b.leave()
}

// wide counts the requests that may be in progress at the same time.
func wide(b *breaker) (count int) {
	for {
		if _, wait := b.enter(); wait > 0 {
			break
		}
		count++
	}
	for range count {
		b.leave()
	}
	return count
}

// loses makes the given number of requests in a row, whose responses are lost. Each is made as soon
// as it is admitted, and another call is answered between two of them. It returns how long that
// took.
func loses(t *testing.T, b *breaker, advance func(time.Duration), count int) (took time.Duration) {
	t.Helper()
	for range count {
		send(t, b, carrier.Ambiguous)
		b.responded()
		pause := b.state().Until.Sub(b.now())
		if _, wait := b.enter(); wait != pause {
			t.Errorf("what was judged before the loss waits %s, want %s", wait, pause)
		}
		advance(pause)
		took += pause
	}
	return took
}

// The window begins with one request, doubles with each answered POST, and is one again after each
// lost response.
func TestTheWindowDoublesWithEachResponse(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	for _, want := range []int{1, 2, 4, 8, 16} {
		if got := wide(b); got != want {
			t.Errorf("%d may be in progress, want %d", got, want)
		}
		send(t, b, carrier.Accepted)
	}
	loses(t, b, advance, 1)
	if got := wide(b); got != 1 {
		t.Errorf("%d may be in progress after a lost response, want 1", got)
	}
	send(t, b, carrier.Rejected)
	if got := wide(b); got != 2 {
		t.Errorf("%d may be in progress after a response, want 2", got)
	}
	for range 100 {
		send(t, b, carrier.Accepted)
	}
	if got := wide(b); got != widestWindow {
		t.Errorf("%d may be in progress after a hundred responses, want %d", got, widestWindow)
	}
}

// A slot that is returned without a POST is not evidence about the carrier.
func TestASlotInTheWindowIsReleased(t *testing.T) {
	t.Parallel()
	b, _ := patience()
	for _, delivery := range []carrier.Delivery{carrier.NotSent, carrier.NotProcessed} {
		send(t, b, delivery)
		if got := wide(b); got != 1 {
			t.Errorf("%d may be in progress after %s, want 1", got, delivery)
		}
	}
}

// The longer responses are lost, the fewer requests are sent.
func TestFewResponsesAreLostInABadHour(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	if took := loses(t, b, advance, 10); took > 2*time.Minute {
		t.Errorf("ten in a row take %s", took)
	}
	lost := 10
	for began := b.now(); b.now().Sub(began) < time.Hour; lost++ {
		loses(t, b, advance, 1)
	}
	t.Logf("%d answers are lost in an hour in which every one is", lost)
	if lost > 20 {
		t.Errorf("%d answers are lost in an hour, want a handful", lost)
	}
	send(t, b, carrier.Accepted)
	if took := loses(t, b, advance, 1); took != shortestPause {
		t.Errorf("after a response the next that is lost pauses %s, want %s", took, shortestPause)
	}
}

// Requests that were in progress together and were lost together count as one lost response.
func TestConcurrentLossesCountAsOne(t *testing.T) {
	t.Parallel()
	b, _ := patience()
	b.window = 8
	had, _ := b.enter()
	for range 8 {
		b.posted(carrier.ClassCharge, carrier.Ambiguous, had)
		b.now = func(at time.Time) func() time.Time { return func() time.Time { return at } }(b.now().Add(time.Millisecond))
	}
	if pause := b.state().Until.Sub(b.state().LostAt); pause != shortestPause {
		t.Errorf("the pause is %s, want %s", pause, shortestPause)
	}
}

// While nothing shows that the carrier answers, one of all callers that wait sends a free read,
// after pauses that double up to 30 s. Chargeable requests wait until a read is answered, however
// long that takes.
func TestFreeReadsAreSentUntilOneIsAnswered(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	send(t, b, carrier.Ambiguous)
	var pauses []time.Duration
	sent := b.now()
	for range 2 * time.Minute / time.Second {
		advance(time.Second)
		if !b.probe() {
			continue
		}
		if b.probe() {
			t.Fatal("two ask at the same time")
		}
		pauses, sent = append(pauses, b.now().Sub(sent)), b.now()
		b.probeFailed(errors.New("503"))
	}
	if got := fmt.Sprint(pauses); got != "[1s 2s 4s 8s 16s 30s 30s]" {
		t.Errorf("the pauses are %s", got)
	}
	advance(time.Hour)
	if _, wait := b.enter(); wait == 0 {
		t.Error("a chargeable request is sent although no read was answered")
	}
	if !b.responded() {
		t.Error("that the carrier answers again is no news")
	}
	send(t, b, carrier.Accepted)
	if b.probe() {
		t.Error("a carrier that answers is probed")
	}
}

// An accepted query lets the next chargeable request be sent, as any answered read does. A query
// with another outcome does not. Neither reduces the number of lost responses in a row.
func TestResponsesThatShowTheCarrierIsUp(t *testing.T) {
	t.Parallel()
	for _, delivery := range []carrier.Delivery{
		carrier.Accepted, carrier.Rejected, carrier.NotSent, carrier.NotProcessed,
	} {
		b, advance := patience()
		loses(t, b, advance, 4)
		send(t, b, carrier.Ambiguous)
		b.posted(carrier.ClassQuery, delivery, ticket{})
		if pause := b.state().Until.Sub(b.now()); pause != fewLossesPause {
			t.Errorf("after a question that was %s the pause is %s, want %s", delivery, pause, fewLossesPause)
		}
		advance(fewLossesPause)
		if _, wait := b.enter(); wait == 0 != (delivery == carrier.Accepted) {
			t.Errorf("after a question that was %s one waits %s", delivery, wait)
		}
	}
}
