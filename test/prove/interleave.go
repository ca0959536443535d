// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"slices"
)

// mostPreemptions is how often a plan stops one manager in favor of the other, at most.
const mostPreemptions = 3

// preemptible reports whether a process can be stopped before an effect of a sort. A login runs in
// a goroutine of its own, so stopping it does not stop a pass.
func preemptible(sort Sort) bool {
	return sort == Write || sort == Read || sort == Post || sort == Poll
}

// preempt stops a process before an effect. The other process resumes the pass in which it was
// stopped itself, or starts one; once that has ended, the first process resumes.
func (r *run) preempt(ctx context.Context, p *port) {
	mine, other := r.pairOf(p)
	if mine == nil || other == nil || other.dead {
		return
	}
	mine.stopped = make(chan struct{})
	goesOn := mine.stopped
	if other.stopped != nil {
		other.goOn()
	} else {
		other.due = now()
		go r.beside(ctx, other, mine)
	}
	<-goesOn
}

// beside runs a pass while another process is stopped, and then resumes that process.
func (r *run) beside(ctx context.Context, manager, stopped *process) {
	ended := make(chan struct{})
	manager.ended = ended
	defer close(ended)
	manager.pass(ctx)
	if stopped.stopped != nil {
		stopped.goOn()
	}
}

// goOn resumes a process that was stopped.
func (p *process) goOn() {
	stopped := p.stopped
	p.stopped = nil
	close(stopped)
}

// finish runs the passes to their end in which a manager is still stopped.
func (r *run) finish() {
	for _, manager := range r.managers {
		for manager.stopped != nil {
			ended := manager.ended
			manager.goOn()
			<-ended
		}
	}
}

// pairOf returns the process of a port and the other process; nil for none.
func (r *run) pairOf(p *port) (mine, other *process) {
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

// preemptAfter stops a manager once more. The first stop is always tried; of further ones, the
// share.
func (e *Enumeration) preemptAfter(before []Fault, told Outcome) {
	from := 0
	if len(before) > 0 {
		from = before[len(before)-1].At
	}
	for _, effect := range told.Effects[min(from, len(told.Effects)):] {
		if !preemptible(effect.Sort) {
			continue
		}
		faults := append(slices.Clip(before), Fault{At: effect.Number, Kind: Preempted})
		if len(before) > 0 && !e.isIn(&e.orders, e.Share.Orders) {
			continue
		}
		if left := e.play(faults...); len(faults) < mostPreemptions {
			e.preemptAfter(faults, left)
		}
	}
}
