// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// noteEnd notes the object's state at rest, before a person helps.
func (r *run) noteEnd() {
	subject := r.subject()
	r.taken = r.accepted(r.plan.Scenario.Asks) > 0
	if subject == nil {
		return
	}
	for _, request := range subject.OpenRequests() {
		r.unknown = r.unknown || request.Phase == v1alpha1.PhaseOutcomeUnknown
	}
}

// judgeEnd checks the invariants of the end: 8 ESR, 16 Quiescent, and that the declared state was
// reached.
func (r *run) judgeEnd(ctx context.Context) {
	r.lastEffect, r.lastLook = len(r.effects), len(r.cache.looks)
	r.rests(ctx)
	r.quiescent(ctx)
	subject := r.subject()
	if subject == nil {
		if !r.removed {
			r.breaks(8, "the object is gone, and nobody has deleted it")
		}
		return
	}
	if why := tooLong(subject); why != "" {
		r.breaks(17, why)
	}
	r.judgeState(subject)
}

// judgeState checks that the object is Ready, or waits for a person with a reason that says so. If
// only the operator has changed the object and the carrier has refused nothing, it must be Ready.
func (r *run) judgeState(subject Subject) {
	reason, ready, stuck := stateOf(subject)
	waits := stuck || slices.Contains(waiting(), reason)
	untouched := !r.touched()
	switch {
	case !ready && !waits:
		r.breaks(8, "at the end the object is neither Ready nor Stalled, nor does it wait for a person: "+reason)
	case !ready && untouched && !r.refused:
		r.breaks(8, "faults have stopped, a person has helped, and the object is not Ready: "+reason)
	case ready && untouched:
		r.cameTrue()
	}
}

// touched reports whether anyone other than the operator has changed the object or its environment.
func (w *recorder) touched() bool { return w.removed || w.wiped || w.edited || w.meddled }

// waiting returns the reasons of objects that wait for a person without being Stalled.
func waiting() []string {
	return []string{v1alpha1.ReasonAwaitingApproval, v1alpha1.ReasonPlanned, v1alpha1.ReasonSuspended}
}

// cameTrue checks that the object is Ready and the carrier has accepted the request.
func (r *run) cameTrue() {
	asks := r.plan.Scenario.Asks
	if r.accepted(asks) == 0 && asks != v1alpha1.OperationAppointmentCancel {
		r.breaks(6, "the object is Ready, and the carrier has not taken "+string(asks))
	}
	if contract, _ := carrier.ContractOf(carrier.Operation(asks)); contract.Repeat == carrier.ClassVerify &&
		r.accepted(asks) > 1 {
		r.breaks(1, fmt.Sprintf("%s was taken %d times although it can be read", asks, r.accepted(asks)))
	}
}

// rests checks that for a day nothing is written and the carrier is not called, whatever passes
// run. After a 403 or 404 from the carrier, retries every ten minutes are allowed.
func (r *run) rests(ctx context.Context) {
	over := now().Add(24 * time.Hour)
	for manager := r.next(nobody); manager != nil && manager.next().Before(over); manager = r.next(nobody) {
		r.take(ctx, manager)
	}
	for _, effect := range r.effects[r.lastEffect:] {
		if effect.Sort != Read && !r.forbidden() {
			r.breaks(16, "the object had come to rest, and on that day: "+effect.What)
		}
	}
}

// forbidden reports whether the carrier answers for this object with 403 or 404.
func (r *run) forbidden() bool {
	subject := r.subject()
	if subject == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	return reason == v1alpha1.ReasonNotFoundOrForbidden
}

// quiescent checks that a new process finds nothing to do. It repeats calls that were refused to
// the process before it, which may bring news. If the process of an attempt has ended, and a person
// or the account holds the attempt back, a new process reports for two minutes that it waits for
// the response.
func (r *run) quiescent(ctx context.Context) {
	if r.heldBack() {
		return
	}
	if r.denied {
		r.lookAfresh(ctx)
	}
	before := r.deeds()
	r.lookAfresh(ctx)
	if r.deeds() != before {
		r.breaks(16, "a pass over an object at rest wrote or sent: "+r.effects[len(r.effects)-1].What)
	}
}

// heldBack reports whether an attempt of an ended process is held back without an outcome.
func (r *run) heldBack() bool {
	subject := r.subject()
	return subject != nil && slices.ContainsFunc(subject.OpenRequests(), func(open *v1alpha1.Request) bool {
		return open.Phase == v1alpha1.PhaseSubmitting
	})
}

// lookAfresh runs a pass of a new process over the object.
func (r *run) lookAfresh(ctx context.Context) {
	if r.subject() == nil {
		return
	}
	fresh := r.start()
	fresh.login = time.Time{}
	fresh.pass(ctx)
}
