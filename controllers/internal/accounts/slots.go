// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	slotPatience = time.Second // how long a pass waits for a slot: longer than a healthy carrier takes to answer

	// The pauses of a pass that found no slot.
	crowdedPause   = time.Second
	crowdedEach    = crowdedPause / 16
	longestCrowded = 30 * time.Second
)

// slots prevents a carrier that hangs from blocking other accounts. A call is made by the pass that
// needs it, and occupies its worker for up to 45 seconds. An account may therefore hold no more
// workers of a kind than it leaves free for all others: half of them for the first account that
// hangs, half of what is left for the next, and so on. At least five accounts have to hang at the
// same time to occupy all of sixteen workers, for as long as a call may take.
//
// With fast responses the limit has no effect: a pass that finds no slot waits a moment for one. If
// none becomes free in that time, the account is crowded, and further passes do not wait at all
// until one of its slots becomes free.
type slots struct {
	all int // the number of workers; 0: no limit

	mu      sync.Mutex
	held    int
	by      map[types.UID]int
	crowded map[types.UID]int // how many found no slot since one became free
	left    chan struct{}     // closed when a slot becomes free
}

func newSlots(workers int) *slots {
	return &slots{
		all: workers, by: map[types.UID]int{}, crowded: map[types.UID]int{}, left: make(chan struct{}),
	}
}

// acquire takes a slot for an account, and reports whether it got one.
func (p *slots) acquire(ctx context.Context, account types.UID) bool {
	ctx, cancel := context.WithTimeout(ctx, slotPatience)
	defer cancel()
	for {
		entered, left := p.try(account)
		if entered || left == nil {
			return entered
		}
		select {
		case <-left:
		case <-ctx.Done():
			p.noteCrowded(account)
			return false
		}
	}
}

// try takes a slot, or returns the channel to wait for; nil if there is no point in waiting.
func (p *slots) try(account types.UID) (entered bool, left <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.all == 0 || p.by[account] < p.all-p.held:
		p.held++
		p.by[account]++
		return true, nil
	case p.crowded[account] > 0:
		p.crowded[account]++
		return false, nil
	}
	return false, p.left
}

// noteCrowded remembers that an account does not return its slots, if it holds any.
func (p *slots) noteCrowded(account types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by[account] > 0 {
		p.crowded[account]++
	}
}

// pause returns the wait after which a pass of an account that found no slot tries again.
func (p *slots) pause(account types.UID) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return crowdPause(p.crowded[account])
}

// crowdPause returns how long a pass that found no slot waits. It grows with the number of passes
// turned away since a slot became free, so a thousand waiting passes cause little load.
func crowdPause(turnedAway int) time.Duration {
	return min(crowdedPause+time.Duration(turnedAway)*crowdedEach, longestCrowded)
}

// release returns a slot.
func (p *slots) release(account types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held--
	p.by[account]--
	if p.by[account] == 0 {
		delete(p.by, account)
	}
	delete(p.crowded, account)
	close(p.left)
	p.left = make(chan struct{})
}
