// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// suspend suspends the service as a user would.
func (r *run) suspend(ctx context.Context) {
	r.edit(ctx, func(subject Subject) {
		if service, is := subject.(*v1alpha1.BroadbandService); is {
			service.Spec.Suspend, r.interfered = true, true
		}
	})
}

// editAccount edits the account.
func (r *run) editAccount(ctx context.Context, edit func(*v1alpha1.CarrierAccountSpec)) {
	account := r.account(ctx)
	edit(&account.Spec)
	must(r.store.Client().Update(ctx, account))
	r.interfered = true
	r.notifyOfAccount()
}

// notifyOfAccount notifies every manager that the account has changed, as a watch would.
func (r *run) notifyOfAccount() {
	for _, manager := range r.managers {
		manager.login, manager.accountChangedInPass = now(), manager.inPass
	}
}

// unlistService removes the service from the account.
func (r *run) unlistService(ctx context.Context) {
	r.editAccount(ctx, func(account *v1alpha1.CarrierAccountSpec) { account.ServiceIDs = []v1alpha1.CarrierID{"1"} })
}

// requireApproval makes the account require approval for everything.
func (r *run) requireApproval(ctx context.Context) {
	r.editAccount(ctx, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = v1alpha1.ApprovalAlways })
}

// replaceAccount deletes the account and creates it again.
func (r *run) replaceAccount(ctx context.Context) {
	account := r.account(ctx)
	must(r.store.Client().Delete(ctx, account.DeepCopy()))
	again := &v1alpha1.CarrierAccount{Spec: account.Spec}
	again.Name, again.Namespace, again.Annotations = account.Name, account.Namespace, account.Annotations
	must(r.store.Client().Create(ctx, again))
	r.notifyOfAccount()
}

// requestRetry sets a retry request, whatever the outcome of the newest attempt.
func (r *run) requestRetry(ctx context.Context) {
	subject := r.subject()
	if subject == nil {
		return
	}
	request := subject.Record().RequestOf(r.plan.Scenario.Operation)
	if request == nil {
		return
	}
	if request.Phase.Ended() && request.Phase != v1alpha1.PhaseSucceeded || r.failed[request.Location] {
		r.repeatable[request.AttemptID] = true
	}
	r.interfered = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, request.AttemptID) })
}

// requestReading requests a new reading of the carrier's state.
func (r *run) requestReading(ctx context.Context) {
	r.interfered = true
	token := strconv.Itoa(len(r.effects))
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationReconcile, token) })
}

// resolveEarly resolves an open attempt by what the carrier's records show at that time. If the
// sender has already read the object for the last time, it still sends the POST: R12 leaves that
// gap.
func (r *run) resolveEarly(ctx context.Context, p *port) {
	for _, one := range r.intents {
		if r.sentAs(one.AttemptID) == nil && one.Sender == p.sender && p.newest[readsObject] > one.number {
			r.resolvedFalsely[one.AttemptID], r.repeatable[one.AttemptID] = true, true
		}
	}
	r.resolveOpen(ctx, func(_ *v1alpha1.Request, truth string) string { return truth })
}

// resolveFalsely sets a false resolution. Resolving an accepted request as not accepted allows one
// more POST. For an attempt that stands for a lost ledger, that applies to everything that was sent.
func (r *run) resolveFalsely(ctx context.Context) {
	r.resolveOpen(ctx, func(open *v1alpha1.Request, truth string) string {
		r.resolvedFalsely[open.AttemptID] = true
		if truth == "NotAccepted" {
			return "Succeeded"
		}
		for _, sent := range r.sent {
			if sent.attempt == open.AttemptID || r.standsForLost(open) {
				r.repeatable[sent.attempt] = true
			}
		}
		return "NotAccepted"
	})
}

// resolveOpen resolves the open attempt with a resolution derived from the true one.
func (r *run) resolveOpen(ctx context.Context, as func(open *v1alpha1.Request, truth string) string) {
	subject := r.subject()
	if subject == nil || len(subject.Record().OpenRequests()) == 0 {
		return
	}
	open := subject.Record().OpenRequests()[0]
	resolution := open.AttemptID + "=" + as(open, r.trueResolution(open))
	r.resolved[open.AttemptID], r.interfered = true, true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, resolution) })
}

// trust confirms, for the changes that are shown, that the service already has the unknown values.
func (r *run) trust(ctx context.Context) {
	subject := r.stored(ctx)
	if subject == nil || pendingOf(subject) == nil {
		delete(r.firstAt, Trusted) // no change is shown
		return
	}
	hash := pendingOf(subject).Hash
	r.interfered = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationTrust, hash) })
}

// changeElsewhere applies the declared change at the carrier without the operator.
func (r *run) changeElsewhere(ctx context.Context) {
	service, is := r.stored(ctx).(*v1alpha1.BroadbandService)
	if !is || service.Spec.Plan == nil {
		delete(r.firstAt, ChangedElsewhere) // no plan is declared
		return
	}
	must(r.world.Carrier.SetPlan(lineID, service.Spec.Plan.Name))
	r.interfered = true
}

// pendingOf returns the plan of changes in an object's status, or nil.
func pendingOf(object client.Object) *v1alpha1.Pending {
	switch subject := object.(type) {
	case *v1alpha1.BroadbandService:
		return subject.Status.Pending
	case *v1alpha1.ServiceOrder:
		return subject.Status.Pending
	case *v1alpha1.DiagnosticTest:
		return subject.Status.Pending
	}
	return nil
}
