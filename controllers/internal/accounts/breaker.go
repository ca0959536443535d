// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

const (
	breakerPause = 5 * time.Minute // how long an open breaker waits for a sign of life
	probePause   = 5 * time.Second // how long the others wait while one request tries
	probeLimit   = time.Minute     // when a request that tries has been answered, or never will be
)

// breaker holds back what costs after an answer was lost, so that "one bad hour at the
// carrier becomes a few unknowns, not five hundred":
//
//	closed ──Ambiguous POST──► open ──5 min──► one at a time ──answered──► closed
//	   ▲                         │                    │
//	   └── Query POST accepted, 200 or 202 of a GET ──┘
//
// In memory only.
type breaker struct {
	mu      sync.Mutex
	now     func() time.Time
	opened  time.Time // when an answer was lost; zero: closed
	probing time.Time // when the one request that tries was let through; zero: none
}

// enter lets a request through, or says how long to wait before asking again.
func (b *breaker) enter() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.opened.IsZero() {
		return 0
	}
	if wait := b.opened.Add(breakerPause).Sub(now); wait > 0 {
		return wait
	}
	if !b.probing.IsZero() && now.Sub(b.probing) < probeLimit {
		return probePause
	}
	b.probing = now
	return 0
}

func (b *breaker) until() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened.IsZero() {
		return time.Time{}
	}
	return b.opened.Add(breakerPause)
}

// posted learns from the answer to a POST.
func (b *breaker) posted(class carrier.RepeatClass, delivery carrier.Delivery) {
	switch delivery {
	case carrier.Ambiguous:
		b.lost()
	case carrier.Accepted, carrier.Rejected:
		if class == carrier.ClassQuery && delivery == carrier.Accepted || b.isProbing() {
			b.answered()
		}
	case carrier.NotSent, carrier.NotProcessed:
	}
}

func (b *breaker) lost() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened, b.probing = b.now(), time.Time{}
}

func (b *breaker) isProbing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.probing.IsZero()
}

// answered closes the breaker: the carrier answers.
func (b *breaker) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened, b.probing = time.Time{}, time.Time{}
}
