// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// recordEnd records the state of the settled object, before a person helps.
func (r *run) recordEnd() {
	subject := r.subject()
	r.endedAccepted = r.accepted(r.plan.Scenario.Operation) > 0
	if subject == nil {
		return
	}
	for _, request := range subject.Record().OpenRequests() {
		r.endedUnknown = r.endedUnknown || request.Phase == v1alpha1.PhaseOutcomeUnknown
	}
}

// checkEnd checks what must hold at the end: invariants 8 (ESR) and 16 (Quiescent), and that the
// declared state was reached.
func (r *run) checkEnd(ctx context.Context) {
	r.lastEffect, r.lastCacheRead = len(r.effects), len(r.cache.reads)
	r.expectIdle(ctx)
	r.expectNothingToDo(ctx)
	if why := r.neededApprovals(); why != "" {
		r.report(27, why)
	}
	subject := r.subject()
	if subject == nil {
		if !r.removed {
			r.report(8, "the object is gone, and nobody has deleted it")
		}
		return
	}
	if why := tooLong(subject); why != "" {
		r.report(17, why)
	}
	r.checkState(subject)
	if why := r.falselyReady(subject, false); why != "" {
		r.report(33, "at the end "+why)
	}
	reason, _, _ := stateOf(subject)
	r.expectFollowed(reason)
}

// tooLong describes an object whose JSON is too long. It is checked once, at the end.
func tooLong(subject Subject) string {
	text, err := json.Marshal(subject)
	if err != nil || len(text) > maxStatus {
		return fmt.Sprintf("the object has %d bytes (%v)", len(text), err)
	}
	return ""
}

// checkState checks that the object is Ready, or waits for a person with a reason that says so. If
// only the operator has changed the object and the carrier has refused nothing, it must be Ready.
func (r *run) checkState(subject Subject) {
	reason, ready, stuck := stateOf(subject)
	waits := stuck || slices.Contains(waitingReasons(), reason)
	untouched := !r.changedByOthers()
	switch {
	case !ready && !waits:
		r.report(8, "at the end the object is neither Ready nor Stalled, nor does it wait for a person: "+reason)
	case !ready && untouched && !r.requestRefused && reason != v1alpha1.ReasonOrderRejected:
		r.report(8, "faults have stopped, a person has helped, and the object is not Ready: "+reason)
	case ready && untouched:
		r.expectDeclared()
	}
}

// changedByOthers reports whether anyone other than the operator has changed the object or its
// environment.
func (w *recorder) changedByOthers() bool {
	return w.removed || w.statusLost || w.edited || w.interfered
}

// waitingReasons returns the reasons of objects that wait for a person without being Stalled.
func waitingReasons() []string {
	return []string{v1alpha1.ReasonAwaitingApproval, v1alpha1.ReasonPlanned, v1alpha1.ReasonSuspended}
}

// expectDeclared checks that the object is Ready and the carrier has accepted the request, unless a
// person has said that the service is as declared.
func (r *run) expectDeclared() {
	if r.plan.Scenario.Trusts {
		return
	}
	operation := r.plan.Scenario.Operation
	if r.accepted(operation) == 0 && operation != v1alpha1.OperationAppointmentCancel {
		r.report(6, "the object is Ready, and the carrier has not accepted "+string(operation))
	}
	if contract, _ := carrier.ContractOf(carrier.Operation(operation)); contract.Repeat == carrier.ClassVerify &&
		r.accepted(operation) > 1 {
		r.report(1, fmt.Sprintf("%s was accepted %d times although it can be read", operation, r.accepted(operation)))
	}
}

// expectIdle checks that, for a day, nothing is written and the carrier is not called, whatever
// passes run, except for readings at an interval.
func (r *run) expectIdle(ctx context.Context) {
	over := now().Add(24 * time.Hour)
	for manager := r.next(none); manager != nil && manager.next().Before(over); manager = r.next(none) {
		r.runPass(ctx, manager)
	}
	for _, effect := range r.effects[r.lastEffect:] {
		if effect.Op != Read && !r.mayRead(ctx, effect) {
			r.report(16, "the object was settled, and during that day: "+effect.What)
		}
	}
	r.expectReadRarely()
}

// expectNothingToDo checks that a new process finds nothing to do. If calls of the previous process
// were refused, the first new process repeats them, because they may now bring news. If the process
// of an attempt has ended, and a person or the account holds the attempt back, a new process
// reports for two minutes that it waits for the response.
func (r *run) expectNothingToDo(ctx context.Context) {
	if r.heldBack() {
		return
	}
	if r.callRefused {
		r.passOfNewProcess(ctx)
	}
	before := r.changes()
	r.passOfNewProcess(ctx)
	if r.changes() != before {
		r.report(16, "a pass over a settled object wrote or sent: "+r.effects[len(r.effects)-1].What)
	}
}

// heldBack reports whether an attempt of an ended process is held back without an outcome.
func (r *run) heldBack() bool {
	subject := r.subject()
	return subject != nil && slices.ContainsFunc(subject.Record().OpenRequests(), func(open *v1alpha1.Request) bool {
		return open.Phase == v1alpha1.PhaseSubmitting
	})
}

// passOfNewProcess runs a pass of a new process over the object.
func (r *run) passOfNewProcess(ctx context.Context) {
	if r.subject() == nil {
		return
	}
	fresh := r.start()
	fresh.login = time.Time{}
	fresh.pass(ctx)
}
