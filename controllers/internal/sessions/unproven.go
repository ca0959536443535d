// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// unprovenPause is how long a request of class Never waits before it checks again whether it may be
// sent.
const unprovenPause = time.Minute

// unproven is a request of class Never whose response gives no evidence.
type unproven struct {
	request string    // such as `OrderCreate for sorder/site`
	at      time.Time // when its response was found to be lost
}

// shownUnproven returns what is shown of them. The lock must be held.
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

// noteUnproven notes a request of class Never whose response gives no evidence whether the carrier has
// accepted it, and reports whether no other is sent from now on. A person has to ask the carrier about
// each of them, so their number is limited: a gateway that answers for the carrier may do so for
// hours. The lock must be held.
func (b *breaker) noteUnproven(had ticket) (news bool) {
	if !had.never {
		return false
	}
	b.unproven = append(b.unproven, unproven{had.request, b.now()})
	return len(b.unproven) == decide.MostUnproven
}

// noteEvidence notes that the carrier itself has answered a POST of a class, and reports whether that
// lets requests of class Never be sent that were held back until now. A query is no evidence: reads
// may be answered while other POSTs are not. The lock must be held.
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

// settled notes that the outcome of a request is known by now, and reports whether that lets one more
// request of class Never be sent, which shows whether the carrier gives evidence.
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
