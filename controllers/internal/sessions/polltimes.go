// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"maps"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// learnEvery is after how many further durations the times of polls are determined again.
const learnEvery = 8

// pollTimes learns how long the requests of a login take. Nothing of it is recorded: a new process
// begins with the times of each operation.
type pollTimes struct {
	mu    sync.Mutex
	seen  map[carrier.Operation]*ended
	times decide.PollTimes // replaced, and never changed
}

// ended are the requests of an operation that have ended.
type ended struct {
	decide.Durations

	count int
}

// took notes that a request had not ended after some time, and had after another.
func (p *pollTimes) took(operation carrier.Operation, before, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = make(map[carrier.Operation]*ended)
	}
	if p.seen[operation] == nil {
		p.seen[operation] = &ended{}
	}
	seen := p.seen[operation]
	seen.Add(before, after)
	seen.count++
	if seen.count%learnEvery != 0 {
		return
	}
	contract, _ := carrier.ContractOf(operation)
	if learned := seen.PollTimes(contract.Poll.Min); learned != nil {
		times := make(decide.PollTimes)
		maps.Copy(times, p.times)
		times[operation], p.times = learned, times
	}
}

func (p *pollTimes) current() decide.PollTimes {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.times
}

// Took notes that a request had not ended so long after it was submitted, and had ended later.
func (s *Session) Took(operation carrier.Operation, before, after time.Duration) {
	s.shared.Load().polls.took(operation, before, after)
}

// PollTimes returns when requests are polled, as this process has learned.
func (s *Session) PollTimes() decide.PollTimes { return s.shared.Load().polls.current() }
