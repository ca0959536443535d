// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"sync"
)

// Submissions are those of a process that are under way: what they send may reach the carrier, and
// what becomes of it is not on record. A nil one counts nothing.
type Submissions struct {
	mu       sync.Mutex
	underWay int
	none     chan struct{} // closed when none is under way any more; nil: nobody waits for that
}

// begin counts one until it ends.
func (s *Submissions) begin() (end func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay++
	return s.end
}

func (s *Submissions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay--
	if s.underWay == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// Await waits until none is under way, or ctx ends. One waits at a time.
func (s *Submissions) Await(ctx context.Context) {
	s.mu.Lock()
	if s.underWay == 0 {
		s.mu.Unlock()
		return
	}
	none := make(chan struct{})
	s.none = none
	s.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}
