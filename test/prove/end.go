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

// noteEnd sees how the object came to rest, before a person helps.
func (r *run) noteEnd() {
	subject := r.subject()
	r.taken = r.accepted(r.plan.Story.Asks) > 0
	if subject == nil {
		return
	}
	for _, request := range subject.OpenRequests() {
		r.unknown = r.unknown || request.Phase == v1alpha1.PhaseOutcomeUnknown
	}
}

// judgeEnd holds the end of a story against what must hold of it: 8 ESR, 16 Quiescent, and
// that what was wanted came true.
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

// judgeState: at the end an object is Ready, or waits for a person for a reason that it
// names. Where nobody but the operator has touched it, and the carrier has refused nothing, it is
// Ready.
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

// touched says whether somebody other than the operator has changed what the object says.
func (w *witness) touched() bool { return w.removed || w.wiped || w.edited || w.meddled }

// waiting are the reasons for which an object waits for a person without being Stalled.
func waiting() []string {
	return []string{v1alpha1.ReasonAwaitingApproval, v1alpha1.ReasonPlanned, v1alpha1.ReasonSuspended}
}

// cameTrue: Ready, and the carrier has taken the request.
func (r *run) cameTrue() {
	asks := r.plan.Story.Asks
	if r.accepted(asks) == 0 && asks != v1alpha1.OperationAppointmentCancel {
		r.breaks(6, "the object is Ready, and the carrier has not taken "+string(asks))
	}
	if contract, _ := carrier.ContractOf(carrier.Operation(asks)); contract.Repeat == carrier.ClassVerify &&
		r.accepted(asks) > 1 {
		r.breaks(1, fmt.Sprintf("%s was taken %d times although it can be read", asks, r.accepted(asks)))
	}
}

// rests: for a day nothing is written and nobody is called, however often somebody looks. What the
// carrier has answered with 403 or 404 is tried again every ten minutes.
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

// forbidden says whether the object waits for the carrier to let it be seen.
func (r *run) forbidden() bool {
	subject := r.subject()
	if subject == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	return reason == v1alpha1.ReasonNotFoundOrForbidden
}

// quiescent: a process that starts now finds nothing to do. What was refused to the one before it
// is asked for once more by a new one, which may bring news. And of an attempt whose process has
// ended, and that a person or the account holds back, a new one says for two minutes that it waits for
// the answer.
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

// heldBack says whether what is left of a process that has ended rests without an outcome.
func (r *run) heldBack() bool {
	subject := r.subject()
	return subject != nil && slices.ContainsFunc(subject.OpenRequests(), func(open *v1alpha1.Request) bool {
		return open.Phase == v1alpha1.PhaseSubmitting
	})
}

// lookAfresh has a process that has just started look at the object.
func (r *run) lookAfresh(ctx context.Context) {
	if r.subject() == nil {
		return
	}
	fresh := r.start()
	fresh.login = time.Time{}
	fresh.pass(ctx)
}
