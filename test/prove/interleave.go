// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"slices"
)

// mostPreemptions is how often one manager is stopped in favor of the other in a plan, at the most.
const mostPreemptions = 3

// preemptible says whether a process can be stopped before an effect of a sort. A login has a
// goroutine of its own, which has no pass to stop.
func preemptible(sort Sort) bool {
	return sort == Write || sort == Read || sort == Post || sort == Poll
}

// preempt stops a process before an effect. The other one goes on with the pass in which it was
// stopped itself, or takes one, from its start; once that has ended, the first one goes on.
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

// beside takes a pass while another process is stopped, and lets that one go on.
func (r *run) beside(ctx context.Context, manager, stopped *process) {
	ended := make(chan struct{})
	manager.ended = ended
	defer close(ended)
	manager.pass(ctx)
	if stopped.stopped != nil {
		stopped.goOn()
	}
}

// goOn lets a process that was stopped go on.
func (p *process) goOn() {
	stopped := p.stopped
	p.stopped = nil
	close(stopped)
}

// finish has the passes end in which a manager is still stopped.
func (r *run) finish() {
	for _, manager := range r.managers {
		for manager.stopped != nil {
			ended := manager.ended
			manager.goOn()
			<-ended
		}
	}
}

// pairOf is the process behind a port, and the one beside it; nil for none.
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

// interleavings stops the two managers in favor of each other, up to three times, at every effect
// at which that can be.
func (e *Enumeration) interleavings(whole Outcome) {
	if e.Managers > 1 {
		e.preemptAfter(nil, whole)
	}
}

// preemptAfter stops a manager once more. Once always is tried; of more, the share.
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
