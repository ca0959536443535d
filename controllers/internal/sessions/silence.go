// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A carrier counts as silent only after this many calls in a row without a response, and after
// this time: each change is written to the account, and the end of a silence starts passes over
// its objects.
const (
	unansweredCalls = 3
	shortestSilence = time.Minute
)

// The pauses between two free reads of a silent carrier. A carrier may answer these reads and not the
// others. If it is silent again within soonSilent of having answered one, the pauses grow further.
const (
	shortestRecoveryPause = time.Minute
	longestRecoveryPause  = 5 * time.Minute
	soonSilent            = 7 * time.Hour // longer than any pause between two reads of an object
	longestFalsePause     = 6 * time.Hour
)

// silence is what is known about a carrier that does not answer. It holds back nothing.
type silence struct {
	calls int             // calls without a response since the last response
	since time.Time       // when the first of these calls was made
	shown *decide.Silence // nil: the carrier does not count as silent
}

// recovery is when a silent carrier is read next, to learn whether it answers again. The objects'
// own reads would show this late, because their pauses grow while they fail.
type recovery struct {
	reads int       // reads since the carrier fell silent
	at    time.Time // when the next read is due
	ended time.Time // when the newest silence ended
	inRow int       // how often in a row the carrier soon fell silent again
}

// checkRecovery reports whether a silent carrier is to be read now, and otherwise when; zero if it
// is not silent. The caller makes the read.
func (b *breaker) checkRecovery() (now bool, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.silence.shown == nil {
		return false, time.Time{}
	}
	if b.now().Before(b.recovery.at) {
		return false, b.recovery.at
	}
	b.recovery.reads++
	b.recovery.at = b.now().Add(b.recovery.pause())
	return true, b.recovery.at
}

// recoveryAt returns when a silent carrier is read next; zero if it is not silent.
func (b *breaker) recoveryAt() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.silence.shown == nil {
		return time.Time{}
	}
	return b.recovery.at
}

func (r *recovery) pause() time.Duration {
	if r.inRow > 0 {
		return min(longestRecoveryPause<<min(r.inRow, 10), longestFalsePause)
	}
	return min(shortestRecoveryPause<<min(r.reads, 10), longestRecoveryPause)
}

// begin notes a silence that began with a call at the given time.
func (r *recovery) begin(since, now time.Time) {
	again := r.inRow + 1
	if r.ended.IsZero() || since.Sub(r.ended) > soonSilent {
		again = 0
	}
	*r = recovery{ended: r.ended, inRow: again}
	r.at = now.Add(r.pause())
}

// unanswered notes that a call got this error, and reports whether the carrier has become silent
// now. An error in a response is not silence, except for a 5xx, which may come from a proxy.
func (b *breaker) unanswered(err error) (news bool) {
	if class := carrier.ClassOf(err); class != carrier.Unreachable && class != carrier.ServerFault {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.silence.calls == 0 {
		b.silence.since = b.now()
	}
	b.silence.calls++
	if b.silence.calls < unansweredCalls || b.now().Sub(b.silence.since) < shortestSilence {
		return false
	}
	return b.fallSilent(decide.Silence{Since: b.silence.since, Err: err})
}

// refused notes that the carrier has refused a read, and reports whether it has started to answer.
func (b *breaker) refused() (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answered()
}

// fallSilent notes that the carrier is silent, and reports whether that is new. What is shown stays
// the same until the carrier answers, so only the first of many calls causes a write. The lock must
// be held.
func (b *breaker) fallSilent(why decide.Silence) (news bool) {
	if b.silence.shown != nil {
		return false
	}
	b.silence.shown = &why
	b.recovery.begin(why.Since, b.now())
	return true
}

// answered notes that the carrier has answered a call, and reports whether that is new. The lock
// must be held.
func (b *breaker) answered() (news bool) {
	news = b.heardAt.IsZero() || b.silence.shown != nil
	if b.silence.shown != nil {
		b.recovery.ended = b.now()
	}
	b.heardAt, b.silence = b.now(), silence{}
	return news
}
