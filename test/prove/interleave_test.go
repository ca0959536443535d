// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"slices"
)

// maxPreemptions is the maximum number of times that a plan stops one manager in favor of the
// other.
const maxPreemptions = 3

// preemptible reports whether a process can be stopped before an effect of a sort. A login runs in
// a goroutine of its own, so stopping it does not stop a pass.
func preemptible(op Op) bool {
	return op == Write || op == Read || op == Post || op == Poll
}

// preempt stops a process before an effect. The other process starts a pass, or resumes the pass in
// which it was itself stopped. Once that pass has ended, the first process resumes.
func (r *run) preempt(ctx context.Context, p *port) {
	mine, other := r.processesOf(p)
	if mine == nil || other == nil || other.dead {
		return
	}
	mine.stopped = make(chan struct{})
	resumed := mine.stopped
	if other.stopped != nil {
		other.resume()
	} else {
		other.due = now()
		go r.runWhileStopped(ctx, other, mine)
	}
	<-resumed
}

// runWhileStopped runs a pass while another process is stopped, and then resumes that process.
func (r *run) runWhileStopped(ctx context.Context, manager, stopped *process) {
	ended := make(chan struct{})
	manager.passEnded = ended
	defer close(ended)
	manager.pass(ctx)
	if stopped.stopped != nil {
		stopped.resume()
	}
}

// resume resumes a process that was stopped.
func (p *process) resume() {
	stopped := p.stopped
	p.stopped = nil
	close(stopped)
}

// finish resumes the managers that are still stopped, and runs their passes to the end.
func (r *run) finish() {
	for _, manager := range r.managers {
		for manager.stopped != nil {
			ended := manager.passEnded
			manager.resume()
			<-ended
		}
	}
}

// processesOf returns the process of a port and the other process; nil for none.
func (r *run) processesOf(p *port) (mine, other *process) {
	for _, manager := range r.managers {
		if manager.port == p {
			mine = manager
		} else {
			other = manager
		}
	}
	return mine, other
}

// interleavings stops the two managers in favor of each other, up to three times, at every possible
// effect.
func (e *Enumeration) interleavings(whole Outcome) {
	if e.Managers > 1 {
		e.preemptAfter(nil, whole)
	}
}

// preemptAfter stops a manager once more. The first stop is always tried, and further stops only as
// far as they are in the share.
func (e *Enumeration) preemptAfter(before []Fault, previous Outcome) {
	from := 0
	if len(before) > 0 {
		from = before[len(before)-1].At
	}
	for _, effect := range previous.Effects[min(from, len(previous.Effects)):] {
		if !preemptible(effect.Op) {
			continue
		}
		faults := append(slices.Clip(before), Fault{At: effect.Number, Kind: Preempted})
		if len(before) > 0 && !e.isIn(&e.orders, e.Share.Orders) {
			continue
		}
		if outcome := e.run(faults...); len(faults) < maxPreemptions {
			e.preemptAfter(faults, outcome)
		}
	}
}
