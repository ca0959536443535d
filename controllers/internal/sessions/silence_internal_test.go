// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"errors"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

var (
	errServerFault = &carrier.Error{Class: carrier.ServerFault, HTTPStatus: 503}
	errUnreachable = &carrier.Error{Class: carrier.Unreachable}
)

// fails makes calls at the given interval, all of which get the same error. It returns how often
// that was news.
func fails(b *breaker, advance func(time.Duration), calls int, interval time.Duration, err error) (news int) {
	for range calls {
		if b.unanswered(err) {
			news++
		}
		advance(interval)
	}
	return news
}

// A carrier that answered no read for a day was shown as answering, because no POST was lost.
func TestACarrierThatAnswersNoCallIsSilent(t *testing.T) {
	t.Parallel()
	for _, err := range []error{errServerFault, errUnreachable} {
		b, advance := patience()
		b.responded()
		advance(time.Hour)
		first := b.now()
		for calls, news := range []int{0, 0, 1} {
			if got := fails(b, advance, 1, time.Minute, err); got != news {
				t.Errorf("after %d calls without a response (%v) it is news %d times, want %d", calls+1, err, got, news)
			}
		}
		want := decide.Silence{Since: first, Err: err}
		if silence := b.state().Silence; silence == nil || *silence != want {
			t.Errorf("the silence is %v, want %v", silence, want)
		}
		send(t, b, carrier.NotSent) // nothing is held back
	}
}

// If what is shown of a silence changed with each call, each call would cause a write of the
// account.
func TestWhatIsShownOfASilenceStaysTheSame(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	b.responded()
	fails(b, advance, unansweredCalls, time.Minute, errServerFault)
	shown := b.state()
	if shown.Silence == nil {
		t.Fatal("it is not silent")
	}
	silence := *shown.Silence
	if news := fails(b, advance, 1000, time.Minute, errors.New("another error")); news != 0 {
		t.Errorf("that it stays silent is news %d times, want none", news)
	}
	if now := b.state(); now != shown || *now.Silence != silence {
		t.Errorf("%+v changes to %+v", shown, now)
	}
}

// The response that ends the silence is news, and the next one is not.
func TestAResponseEndsTheSilence(t *testing.T) {
	t.Parallel()
	for name, respond := range map[string]func(*breaker) bool{
		"a read is answered":          (*breaker).responded,
		"a read is refused":           (*breaker).refused,
		"a POST is accepted":          posting(carrier.ClassCharge, carrier.Accepted),
		"a POST is refused":           posting(carrier.ClassCharge, carrier.Rejected),
		"a query is refused":          posting(carrier.ClassQuery, carrier.Rejected),
		"a query is accepted":         posting(carrier.ClassQuery, carrier.Accepted),
		"a repeatable one is refused": posting(carrier.ClassConverge, carrier.Rejected),
	} {
		b, advance := patience()
		b.responded()
		fails(b, advance, unansweredCalls, time.Minute, errServerFault)
		if b.state().Silence == nil {
			t.Fatal("it is not silent")
		}
		if news := []bool{respond(b), respond(b)}; !news[0] || news[1] || b.state().Silence != nil {
			t.Errorf("%s: news %v, silence %v", name, news, b.state().Silence)
		}
		if fails(b, advance, unansweredCalls-1, time.Minute, errServerFault) != 0 {
			t.Errorf("%s: the calls before that count", name)
		}
	}
}

func posting(class carrier.RepeatClass, delivery carrier.Delivery) func(*breaker) bool {
	return func(b *breaker) bool { return b.posted(class, delivery, ticket{}) }
}

// Each change is a write and wakes all objects of the account, so a hiccup must not count as a
// silence.
func TestASilenceLastsAtLeastAMinute(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	if news := fails(b, advance, 100, 500*time.Millisecond, errServerFault); news != 0 {
		t.Errorf("%d times news within %s", news, shortestSilence)
	}
	advance(shortestSilence)
	if !b.unanswered(errServerFault) {
		t.Error("after that it is no news")
	}
}

// An error in a response shows that the carrier answers, or at least does not show the opposite.
func TestAnErrorInAResponseIsNoSilence(t *testing.T) {
	t.Parallel()
	for _, class := range []carrier.Class{
		carrier.Unauthorized, carrier.NotFoundOrForbidden, carrier.Throttled, carrier.Invalid, carrier.Refused,
		carrier.Unreadable,
	} {
		b, advance := patience()
		fails(b, advance, 10, time.Minute, &carrier.Error{Class: class})
		if silence := b.state().Silence; silence != nil {
			t.Errorf("after %s it is silent: %v", class, silence)
		}
	}
}

// While nothing is answered, each lost query and each failed probe would otherwise change what the
// account and every waiting object show.
func TestFurtherLossesDoNotChangeWhatIsShown(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	b.responded()
	had, _ := b.enter()
	had.request = "PlanChange for bbs/site"
	b.posted(carrier.ClassCharge, carrier.Ambiguous, had)
	b.leave()
	lostAt := b.now()
	advance(time.Second)
	b.probe()
	if !b.probeFailed(errServerFault) {
		t.Error("the first failed probe is no news")
	}
	shown, silence := b.state(), *b.state().Silence
	if silence.Lost != had.request || !silence.Since.Equal(lostAt) {
		t.Errorf("the silence is %v", silence)
	}
	for range 100 {
		advance(time.Minute)
		b.posted(carrier.ClassQuery, carrier.Ambiguous, ticket{request: "Health for bbs/other"})
		b.probe()
		if b.unanswered(errServerFault) || b.probeFailed(errors.New("another error")) {
			t.Fatal("that it stays silent is news")
		}
	}
	now := b.state()
	now.ProbeAt = shown.ProbeAt
	if *now.Silence != silence {
		t.Errorf("%v changes to %v", silence, now.Silence)
	}
	if now.Silence = shown.Silence; now != shown {
		t.Errorf("%+v changes to %+v", shown, now)
	}
}

// An account without services has nothing to read. The next request may then be sent, but that does
// not mean that the carrier has answered.
func TestARequestInPlaceOfAProbeIsNoAnswer(t *testing.T) {
	t.Parallel()
	b, advance := patience()
	b.responded()
	answeredAt := b.now()
	send(t, b, carrier.Ambiguous)
	advance(time.Minute)
	b.admit()
	if !b.state().AnsweredAt.Equal(answeredAt) {
		t.Errorf("it has answered at %s", b.state().AnsweredAt)
	}
	send(t, b, carrier.Ambiguous)
}
