// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// unknownAttempt is a resolution for an attempt that is not recorded.
const unknownAttempt = "p0-0=NotAccepted"

// act performs an action of another actor immediately before an effect of a process.
func (r *run) act(p *port, op Op, kind FaultKind) {
	if kind == Forgotten {
		r.carrierForgot = true
		r.world.Carrier.Forget()
	}
	if kind == OtherResult {
		r.alterResult()
	}
	if _, before := r.firstAt[kind]; !before {
		r.firstAt[kind] = len(r.effects)
	}
	for _, can := range []struct {
		kind FaultKind
		do   func(context.Context)
	}{
		{OtherPass, func(ctx context.Context) { r.runOtherManager(ctx, p, op) }},
		{Preempted, func(ctx context.Context) { r.preempt(ctx, p) }},
		{Deleted, r.remove},
		{Recreated, r.deleteAndCreate},
		{Edited, r.editSpec},
		{StatusLost, r.loseStatus},
		{ResolvedUnknownAttempt, r.resolveUnknownAttempt},
		{Resolved, func(ctx context.Context) { r.resolve(ctx, isResolvable) }},
		{StatusRolledBack, r.rollBackStatus},
		{StatusForged, r.forgeStatus},
		{LedgerDeleted, r.deleteLedger},
		{LedgerRolledBack, r.rollBackLedger},
		{LedgerEmptied, r.emptyLedger},
		{LedgerNewer, r.upgradeLedger},
		{ForceDeleted, r.forceDelete},
		{Suspended, r.suspend},
		{Unlisted, r.unlistService},
		{ApprovalRequired, r.requireApproval},
		{AccountRecreated, r.replaceAccount},
		{RetryRequested, r.requestRetry},
		{ReadingRequested, r.requestReading},
		{ResolvedEarly, func(ctx context.Context) { r.resolveEarly(ctx, p) }},
		{ResolvedFalsely, r.resolveFalsely},
		{ChangedElsewhere, r.changeElsewhere},
		{Trusted, r.trust},
		{DriftedElsewhere, r.driftElsewhere},
	} {
		if can.kind == kind {
			can.do(r.ctx)
			r.notifyManagers()
		}
	}
}

// resolveUnknownAttempt sets a resolution for an attempt that does not exist.
func (r *run) resolveUnknownAttempt(ctx context.Context) {
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, unknownAttempt) })
}

// deleteAndCreate deletes the object as a user would. It is created again once it is gone.
func (r *run) deleteAndCreate(ctx context.Context) {
	if subject := r.subject(); subject != nil {
		request := subject.Record().RequestOf(r.plan.Scenario.Operation)
		if request != nil && r.failed[request.Location] {
			// A new object may ask for the request again.
			r.repeatable[request.AttemptID] = true
		}
	}
	r.recreate = true
	r.remove(ctx)
}

// editSpec edits the spec as a user would, if the scenario has an edit.
func (r *run) editSpec(ctx context.Context) {
	if r.plan.Scenario.Edit != nil {
		r.edited = true
		r.edit(ctx, r.plan.Scenario.Edit)
	}
}

// runOtherManager runs one full pass of the other manager.
func (r *run) runOtherManager(ctx context.Context, p *port, op Op) {
	r.loginPending = op == Key || op == Token
	defer func() { r.loginPending = false }()
	for _, other := range r.managers {
		if other.port != p && !other.dead && !other.inPass {
			other.pass(ctx)
		}
	}
}

// notifyManagers notifies every manager that the object has changed, as a watch would.
func (r *run) notifyManagers() {
	for _, manager := range r.managers {
		manager.due, manager.changedInPass = now(), manager.inPass
	}
}

// responseDelay is longer than any call may take, and longer than any wait for a running process.
const responseDelay = 3 * time.Minute

// delayResponse lets the other managers run while a response to a process is delayed or the process
// is stopped. A delayed login only waits, because it runs in its own goroutine beside the pass that
// needs it. A process that overtakes another process's login does not delay that login: a signed
// assertion is valid for a minute.
func (r *run) delayResponse(p *port, op Op) {
	if r.loginPending {
		return
	}
	until := now().Add(responseDelay)
	for op != Token {
		other := r.next(func(other *process) bool { return other.port == p || other.dead || other.inPass })
		if other == nil || other.next().After(until) {
			break
		}
		sleep(other.next().Sub(now()))
		other.pass(r.ctx)
	}
	sleep(until.Sub(now()))
}

func (r *run) remove(ctx context.Context) {
	if subject := r.subject(); subject != nil {
		r.removed = true
		must(client.IgnoreNotFound(r.store.Client().Delete(ctx, subject)))
	}
}

// edit changes the object as a user would, on its newest version.
func (r *run) edit(ctx context.Context, change func(Subject)) {
	subject := r.subject()
	if subject == nil {
		return
	}
	change(subject)
	must(r.store.Client().Update(ctx, subject))
}

// loseStatus restores the object as a backup would: with its finalizer, but without its status.
func (r *run) loseStatus(ctx context.Context) {
	subject := r.subject()
	if subject == nil {
		return
	}
	wiped := r.plan.Scenario.Empty()
	wiped.SetName(subject.GetName())
	wiped.SetNamespace(subject.GetNamespace())
	wiped.SetUID(subject.GetUID())
	wiped.SetResourceVersion(subject.GetResourceVersion())
	must(r.store.Client().Status().Update(ctx, wiped))
	r.statusLost = true
}

func annotate(object client.Object, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

// isUnknown reports whether an attempt waits for a person.
func isUnknown(open *v1alpha1.Request) bool { return open.Phase == v1alpha1.PhaseOutcomeUnknown }

// isResolvable reports whether a person may resolve an attempt: its outcome is not known yet,
// although the operator may still determine it.
func isResolvable(open *v1alpha1.Request) bool {
	return isUnknown(open) || open.Phase == v1alpha1.PhaseSubmitting && open.Error != nil
}

// resolve looks up an unresolved attempt at the carrier and sets the resolution, as a person would.
// It reports whether there was such an attempt.
func (r *run) resolve(ctx context.Context, eligible func(*v1alpha1.Request) bool) bool {
	subject := r.subject()
	if subject == nil {
		return false
	}
	for _, open := range subject.Record().OpenRequests() {
		if !eligible(open) {
			continue
		}
		if r.sentAs(open.AttemptID) == nil && r.carrierBusy() {
			continue // for an attempt that stands for a lost status, a person can only tell that the request is over
		}
		resolution := open.AttemptID + "=" + r.trueResolution(open)
		r.resolved[open.AttemptID] = true
		r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, resolution) })
		r.notifyManagers()
		return true
	}
	return false
}

// approve approves the plan of changes that is shown, and reports whether an approval was needed. A
// person who sees the carrier's records approves nothing that is there already.
func (r *run) approve(ctx context.Context) bool {
	subject := r.stored(ctx)
	if subject == nil || pendingOf(subject) == nil || r.plan.Scenario.Installed && isAsDeclared(subject, r.line()) {
		return false
	}
	reason, _, _ := stateOf(subject)
	hash := pendingOf(subject).Hash
	if reason != v1alpha1.ReasonAwaitingApproval || subject.GetAnnotations()[v1alpha1.AnnotationApprove] == hash {
		return false
	}
	r.approved[hash] = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationApprove, hash) })
	r.notifyManagers()
	return true
}

// carrierBusy reports whether the carrier is still processing a request. Queries change nothing.
func (r *run) carrierBusy() bool {
	return slices.ContainsFunc(r.sent, func(sent *post) bool {
		return sent.accepted && sent.class != carrier.ClassQuery && now().Before(sent.at.Add(longestWork))
	})
}

// trueResolution returns the resolution that matches the carrier's records. An attempt that stands
// for a lost ledger covers everything that was sent.
func (r *run) trueResolution(open *v1alpha1.Request) string {
	sent := r.sentAs(open.AttemptID)
	if other := r.inProgress(open); other != nil {
		sent = other
	}
	switch {
	case sent == nil && r.standsForLost(open) && r.isDone(), open.Repeats > 0 && r.accepted(open.Operation) > 0:
		return "Succeeded" // this attempt or an earlier one
	case sent == nil || !sent.accepted:
		return "NotAccepted"
	case sent.requestID == "", r.carrierForgot: // there is nothing to poll: the service itself shows that it was done
		return "Succeeded"
	}
	return "Accepted:" + sent.requestID
}

// standsForLost reports whether an attempt was recorded because the ledger was lost. Every other
// attempt is recorded before it is sent.
func (w *recorder) standsForLost(open *v1alpha1.Request) bool {
	return slices.ContainsFunc(w.intents, func(one intent) bool {
		return one.AttemptID == open.AttemptID && one.Phase != v1alpha1.PhaseSubmitting
	})
}

// isDone reports what a person finds out about everything that was sent: whether the service is as
// declared or, for any other object, whether the carrier has accepted its request. A test of another
// object is another test.
func (r *run) isDone() bool {
	subject := r.subject()
	if r.plan.Scenario.Kind == kindService {
		return isAsDeclared(subject, r.line())
	}
	return slices.ContainsFunc(r.sent, func(one *post) bool {
		own := r.plan.Scenario.Kind != kindTest || one.uid == subject.GetUID()
		return one.accepted && one.operation == r.plan.Scenario.Operation && own
	})
}

// line returns the service of the scenario at the carrier.
func (r *run) line() simulator.Service {
	line, _ := r.world.Carrier.Service(lineID)
	return line
}

// stateOf returns what the conditions of an object show to a user.
func stateOf(subject Subject) (reason string, ready, stuck bool) {
	conditions, _ := subject.Describes()
	for _, condition := range *conditions {
		holds := condition.Status == metav1.ConditionTrue
		switch condition.Type {
		case v1alpha1.ConditionReady:
			reason, ready = condition.Reason, holds
		case v1alpha1.ConditionStalled:
			stuck = holds
		}
	}
	return reason, ready, stuck
}
