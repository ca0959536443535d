// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"sync"
)

// Submissions counts the submissions of a process that are in progress: what they send may reach
// the carrier, and the outcome is not recorded yet. A nil *Submissions counts nothing.
type Submissions struct {
	mu         sync.Mutex
	inProgress int
	none       chan struct{} // closed when none is in progress any more; nil: no caller waits for that
}

// begin counts a submission until end is called.
func (s *Submissions) begin() (end func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inProgress++
	return s.end
}

func (s *Submissions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inProgress--
	if s.inProgress == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// Await waits until no submission is in progress or ctx ends. Only one caller may wait at a time.
func (s *Submissions) Await(ctx context.Context) {
	s.mu.Lock()
	if s.inProgress == 0 {
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
