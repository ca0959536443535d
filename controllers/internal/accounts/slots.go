// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	slotPatience = time.Second // how long a pass waits for a slot: longer than a sound carrier takes to answer

	// When a pass that was turned away comes back.
	crowdedPause   = time.Second
	crowdedEach    = crowdedPause / 16
	longestCrowded = 30 * time.Second
)

// slots keeps a carrier that hangs to itself. A call is made by the pass that needs it, and
// holds its worker for up to 45 seconds; so of the workers of one kind an account may hold no
// more than it leaves free for all others: half of them when it is alone, a third each when
// there are two such accounts, and so on. It takes five that hang at once to hold all of
// sixteen, for as long as a call may take.
//
// Where calls are answered soon nothing of this is felt: whoever finds no slot waits a moment
// for one. When none becomes free in that time the account is crowded, and until one does
// nobody waits for it any more.
type slots struct {
	all int // as many as there are workers; 0: no limit

	mu      sync.Mutex
	held    int
	by      map[types.UID]int
	crowded map[types.UID]int // how many were turned away since a slot became free
	left    chan struct{}     // closed when a slot becomes free
}

func newSlots(workers int) *slots {
	return &slots{
		all: workers, by: map[types.UID]int{}, crowded: map[types.UID]int{}, left: make(chan struct{}),
	}
}

// acquire takes a slot for an account, or says that there is none.
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

// try takes a slot, or says what to wait for; nothing when it is of no use.
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

// noteCrowded remembers that an account gives no slot back, if it holds any.
func (p *slots) noteCrowded(account types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by[account] > 0 {
		p.crowded[account]++
	}
}

// pause is when a pass that was turned away comes back.
func (p *slots) pause(account types.UID) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return crowdPause(p.crowded[account])
}

// crowdPause is when a pass comes back that was turned away: the sooner, the fewer have been since a
// slot became free. So a thousand that wait are no load.
func crowdPause(turnedAway int) time.Duration {
	return min(crowdedPause+time.Duration(turnedAway)*crowdedEach, longestCrowded)
}

// release gives a slot back.
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
