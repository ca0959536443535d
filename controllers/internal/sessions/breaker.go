// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"slices"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	widestWindow = 1024 // chargeable requests in progress at a time: more than any operator has workers

	// The pause after a lost response doubles with each consecutive loss. It stays short up to ten
	// losses, because a few losses among many requests are normal. After more losses, the carrier
	// gets time to recover.
	shortestPause  = time.Second
	fewLossesPause = 16 * time.Second
	fewLosses      = 10
	longestPause   = time.Hour

	longestProbe = 30 * time.Second // the longest pause between two unanswered free reads

	longestWindowPause = 10 * time.Second // the longest wait of a request that found the window full
)

// breaker holds back chargeable requests after a lost response, similar to congestion control. One
// bad hour at the carrier then leaves a few unknown outcomes, not five hundred. A window limits the
// number of chargeable requests in progress. It is one at first, doubles with each response to such
// a request, and is one again after a lost response. After a loss, no chargeable request is sent
// until a pause is over and the carrier has answered another call, usually a free read.
//
// The state is in memory only: a new process knows of no lost response, and its window is one.
type breaker struct {
	now func() time.Time

	mu         sync.Mutex
	window     int // how many chargeable requests may be in progress; 0: one
	inProgress int
	turned     int // how many requests have found the window full since one last left it

	lost    string    // the request whose response was lost last
	lostAt  time.Time // when the loss was detected; zero: no response is known to be lost
	inARow  int       // consecutive lost responses
	until   time.Time // before this time no chargeable request is sent
	heard   bool      // whether the carrier has answered since the loss
	heardAt time.Time // when it last answered; zero: never
	probes  int       // free reads without a response since the loss
	probeAt time.Time // when the next free read is due
	probing error     // the error of the first of these free reads

	unproven []unproven // requests of class Never, in a row, of which nobody knows whether they were accepted

	silence  silence
	recovery recovery
	serves   bool // whether it has answered a call for an object, and not only the token check
}

// ticket is a request's slot in the window.
type ticket struct {
	of        *breaker  // the breaker whose window it is in
	enteredAt time.Time // zero: for a query, which takes no slot
	request   string    // the request, such as "PlanChange for bbs/site"
	never     bool      // whether it is of class Never
}

// enter takes a slot in the window, or returns how long to wait before trying again.
func (b *breaker) enter() (ticket, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	switch {
	case b.holds(now):
		return ticket{}, max(b.until.Sub(now), shortestPause)
	case b.inProgress >= max(b.window, 1):
		b.turned++
		return ticket{}, windowPause(b.turned)
	}
	b.inProgress++
	return ticket{of: b, enteredAt: now}, 0
}

// windowPause returns how long a request waits if the window is full. The wait grows with the
// number of requests turned away since one left the window, so a thousand waiting requests cause
// little load.
func windowPause(turnedAway int) time.Duration {
	return min(shortestPause+time.Duration(turnedAway)*shortestPause/16, longestWindowPause)
}

// holds reports whether chargeable requests are held back. The lock must be held.
func (b *breaker) holds(now time.Time) bool {
	return b.awaitsResponse() || !b.lostAt.IsZero() && now.Before(b.until)
}

// isFresh reports whether no response is lost, and nothing is in progress.
func (b *breaker) isFresh() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lostAt.IsZero() && b.inProgress == 0
}

// leave returns a slot to the window.
func (b *breaker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inProgress--
	b.turned = 0
}

// posted updates the breaker from the response to a POST of a class, and reports whether the
// carrier has started to answer.
func (b *breaker) posted(class carrier.RepeatClass, delivery carrier.Delivery, had ticket) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case delivery == carrier.Ambiguous:
		b.noteLoss(class, had)
		news = b.noteUnproven(had)
	case class.Costly() && delivery == carrier.Rejected, delivery == carrier.Accepted:
		b.serves = true
		news = b.noteEvidence(class)
		news = b.noteResponse() || news
		if class.Costly() {
			b.widen()
		}
	case delivery == carrier.Rejected:
		news = b.answered()
	}
	return news
}

// noteLoss notes that a response was lost. While the carrier answers nothing, only the loss of a
// chargeable request shows anything new.
func (b *breaker) noteLoss(class carrier.RepeatClass, had ticket) {
	if !class.Costly() && b.awaitsResponse() {
		return
	}
	// A request that was already in progress at the last loss belongs to that loss and does not count
	// again. Neither does a query, because there may be many of them.
	if b.inARow == 0 || class.Costly() && had.enteredAt.After(b.lostAt) {
		b.inARow++
	}
	b.lose(had.request)
}

// awaitsResponse reports whether a response is lost, and the carrier has not answered since. The
// lock must be held.
func (b *breaker) awaitsResponse() bool { return !b.lostAt.IsZero() && !b.heard }

// lose reduces the window to one, and holds back all chargeable requests.
func (b *breaker) lose(what string) {
	now := b.now()
	b.window, b.lost, b.lostAt, b.until = 1, what, now, now.Add(pauseAfter(b.inARow))
	b.heard, b.probes, b.probeAt, b.probing = false, 0, now.Add(shortestPause), nil
}

// widen doubles the window and ends the series of lost responses, because a chargeable POST was
// answered. Other responses do not: reads may be answered while chargeable POSTs are not.
func (b *breaker) widen() {
	b.window, b.inARow = min(2*max(b.window, 1), widestWindow), 0
	if b.until = earlier(b.until, b.lostAt.Add(shortestPause)); !b.now().Before(b.until) {
		b.lostAt = time.Time{}
	}
}

// responded notes that the carrier has answered a read, and reports whether that is new.
func (b *breaker) responded() (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noteResponse()
}

func (b *breaker) noteResponse() (news bool) {
	b.admitNext()
	return b.answered()
}

// admit lets the next chargeable request show whether the carrier answers.
func (b *breaker) admit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.admitNext()
}

func (b *breaker) admitNext() { b.heard, b.probes, b.probing = true, 0, nil }

// probe reports whether a free read is due. If so, the caller makes it, and no other waiting pass
// does.
func (b *breaker) probe() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if !b.awaitsResponse() || now.Before(b.probeAt) {
		return false
	}
	b.probeAt = now.Add(min(shortestPause<<min(b.probes+1, 10), longestProbe))
	return true
}

// probeFailed notes that a free read was not answered, and reports whether that is new.
func (b *breaker) probeFailed(err error) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probes++
	if b.probes == 1 {
		b.probing = err // later errors would differ only in wording, and every waiting object shows this one
	}
	return b.fallSilent(decide.Silence{Since: b.lostAt, Lost: b.lost, Err: err})
}

// state returns what is known about the carrier.
func (b *breaker) state() decide.Breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	return decide.Breaker{
		LostRequest: b.lost, LostAt: b.lostAt, Until: b.until, Answered: b.heard, AnsweredAt: b.heardAt,
		ProbeAt: b.probeAt, ProbeError: b.probing, Silence: b.silence.shown, Flapping: b.recovery.inRow > 0,
		Unproven: b.shownUnproven(),
	}
}

// pauseAfter returns how long chargeable requests are held back after the given number of
// consecutive losses.
func pauseAfter(lost int) time.Duration {
	if lost <= fewLosses {
		return min(shortestPause<<(lost-1), fewLossesPause)
	}
	return min(fewLossesPause<<min(lost-fewLosses, fewLosses), longestPause)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// unprovenPause is how long a request of class Never waits before it checks again whether it may be
// sent.
const unprovenPause = time.Minute

// unproven is a request of class Never whose response does not show whether it was accepted.
type unproven struct {
	request string    // such as `OrderCreate for sorder/site`
	at      time.Time // when its response was found to be lost
}

// shownUnproven returns what is shown of the unproven requests. The lock must be held.
func (b *breaker) shownUnproven() decide.Unproven {
	shown := decide.Unproven{Count: len(b.unproven)}
	if shown.Count > 0 {
		last := b.unproven[shown.Count-1]
		shown.Last, shown.At = last.request, last.at
	}
	if shown.Count > 1 {
		shown.Before = b.unproven[shown.Count-2].request
	}
	return shown
}

// noteUnproven notes a request of class Never whose response does not show whether the carrier has
// accepted it, and reports whether all further requests of that class are now held back. A gateway
// may answer in place of the carrier for hours, and a person has to ask the carrier about each such
// request, so their number is limited. The lock must be held.
func (b *breaker) noteUnproven(had ticket) (news bool) {
	if !had.never {
		return false
	}
	b.unproven = append(b.unproven, unproven{had.request, b.now()})
	return len(b.unproven) == decide.MostUnproven
}

// noteEvidence notes that the carrier itself has answered a POST of a class, and reports whether
// this releases requests of class Never that were held back. The response to a query does not
// count: reads may be answered while other POSTs are not. The lock must be held.
func (b *breaker) noteEvidence(class carrier.RepeatClass) (news bool) {
	if class == carrier.ClassQuery {
		return false
	}
	news = b.holdsNever()
	b.unproven = nil
	return news
}

// holdsNever reports whether no request of class Never is sent. The lock must be held.
func (b *breaker) holdsNever() bool { return len(b.unproven) >= decide.MostUnproven }

// settled notes that the outcome of a request is now known, and reports whether this allows one
// more request of class Never, to find out whether the carrier answers it itself.
func (b *breaker) settled(request string) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, before := b.holdsNever(), len(b.unproven)
	b.unproven = slices.DeleteFunc(b.unproven, func(one unproven) bool { return one.request == request })
	if len(b.unproven) == before {
		return false
	}
	b.unproven = b.unproven[max(0, len(b.unproven)-decide.MostUnproven+1):]
	return held
}

// enterNever returns how long a request of class Never waits because of earlier ones.
func (b *breaker) enterNever() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holdsNever() {
		return unprovenPause
	}
	return 0
}

// Settled notes that the outcome of a request of the object is known by now. The lease may be nil.
func (l *Lease) Settled(op carrier.Operation) {
	if l != nil && l.breaker().settled(l.named(op)) {
		l.changed()
	}
}
