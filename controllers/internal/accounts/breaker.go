// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	widestWindow = 1024 // requests that cost under way at a time: more than any operator has workers

	// The pause after an answer was lost: twice as long after each that is lost in a row. The first ten
	// are followed soon, because some lost among many are a hiccup; after more the carrier is given time.
	shortestPause = time.Second
	hiccupPause   = 16 * time.Second
	hiccup        = 10
	longestPause  = time.Hour

	longestProbe = 30 * time.Second // between two free reads of a carrier that does not answer them
)

// breaker holds back what costs after an answer was lost, as congestion control does, so that one bad
// hour at the carrier leaves a few unknown outcomes and not five hundred. Requests that cost go in a
// window: one at first, twice as many with each that is answered, one again when an answer is lost.
// After that none goes before a pause is over and the carrier has answered a free read.
//
// In memory only: a process that starts knows of no lost answer, and its window is one.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	window   int // how many requests that cost may be under way; 0: one
	underWay int
	turned   int // how many found the window full since one came back

	lost    string    // the request whose answer was lost last
	lostAt  time.Time // when that was known; zero: no answer is known to be lost
	inARow  int       // answers that were lost, and none came between
	until   time.Time // before which nothing that costs is sent
	heard   bool      // whether the carrier has answered since
	heardAt time.Time // when it answered last; zero: it never has
	probes  int       // free reads that it has not answered since
	probeAt time.Time // when it is asked the next one
	probing error     // how the last of them failed
}

// ticket is a request's slot in the window.
type ticket struct {
	enteredAt time.Time // zero: of a question, which takes none
	what      string    // the request, such as "PlanChange of bbs/site"
}

// enter takes a slot in the window, or says how long to wait before asking again.
func (b *breaker) enter() (ticket, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	switch {
	case b.holds(now):
		return ticket{}, max(b.until.Sub(now), shortestPause)
	case b.underWay >= max(b.window, 1):
		b.turned++
		return ticket{}, crowdPause(b.turned)
	}
	b.underWay++
	return ticket{enteredAt: now}, 0
}

// holds says whether nothing that costs may be sent, with the lock held.
func (b *breaker) holds(now time.Time) bool {
	return !b.lostAt.IsZero() && (!b.heard || now.Before(b.until))
}

// leave gives a slot in the window back.
func (b *breaker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.underWay--
	b.turned = 0
}

// posted learns from the answer to a POST of that class. It says whether there is news of the carrier.
func (b *breaker) posted(class carrier.RepeatClass, delivery carrier.Delivery, had ticket) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case delivery == carrier.Ambiguous:
		// What was under way when the last answer was lost is lost with that one, and of questions there may
		// be many.
		if b.inARow == 0 || class.Costly() && had.enteredAt.After(b.lostAt) {
			b.inARow++
		}
		b.lose(had.what)
	case class.Costly() && delivery == carrier.Rejected, delivery == carrier.Accepted:
		news = b.hear()
		if class.Costly() {
			b.widen()
		}
	}
	return news
}

// lose makes the window one, and has everything that costs wait.
func (b *breaker) lose(what string) {
	now := b.now()
	b.window, b.lost, b.lostAt, b.until = 1, what, now, now.Add(pauseAfter(b.inARow))
	b.heard, b.probes, b.probeAt, b.probing = false, 0, now.Add(shortestPause), nil
}

// widen makes the window wider, and ends what was lost in a row: a POST that costs was answered.
// Another answer does not, because reads may be answered while such POSTs are not.
func (b *breaker) widen() {
	b.window, b.inARow = min(2*max(b.window, 1), widestWindow), 0
	if b.until = earlier(b.until, b.lostAt.Add(shortestPause)); !b.now().Before(b.until) {
		b.lostAt = time.Time{}
	}
}

// answered: the carrier has answered a read. It says whether that is news.
func (b *breaker) answered() (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hear()
}

func (b *breaker) hear() (news bool) {
	news = b.heardAt.IsZero() || b.probes > 0
	b.heard, b.heardAt, b.probes, b.probing = true, b.now(), 0, nil
	return news
}

// probe begins a free read, and says whether one is due: of all that wait one asks.
func (b *breaker) probe() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.lostAt.IsZero() || b.heard || now.Before(b.probeAt) {
		return false
	}
	b.probeAt = now.Add(min(shortestPause<<min(b.probes+1, 10), longestProbe))
	return true
}

// unanswered: a free read was not answered. It says whether that is news.
func (b *breaker) unanswered(err error) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probes++
	b.probing = err
	return b.probes == 1
}

// state is what is known of the carrier.
func (b *breaker) state() decide.Breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	return decide.Breaker{
		Lost: b.lost, LostAt: b.lostAt, Until: b.until, Heard: b.heard, HeardAt: b.heardAt,
		ProbeAt: b.probeAt, ProbeError: b.probing,
	}
}

// pauseAfter is how long nothing that costs is sent after so many answers were lost in a row.
func pauseAfter(lost int) time.Duration {
	if lost <= hiccup {
		return min(shortestPause<<(lost-1), hiccupPause)
	}
	return min(hiccupPause<<min(lost-hiccup, hiccup), longestPause)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
