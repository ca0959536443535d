// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// suspend suspends the service as a user would.
func (r *run) suspend(ctx context.Context) {
	r.edit(ctx, func(subject Subject) {
		if service, is := subject.(*v1alpha1.BroadbandService); is {
			service.Spec.Suspend, r.meddled = true, true
		}
	})
}

// editAccount edits the account.
func (r *run) editAccount(ctx context.Context, edit func(*v1alpha1.CarrierAccountSpec)) {
	account := r.account(ctx)
	edit(&account.Spec)
	must(r.store.Client().Update(ctx, account))
	r.meddled = true
	r.alertAccount()
}

// alertAccount notifies every manager that the account has changed, as a watch would.
func (r *run) alertAccount() {
	for _, manager := range r.managers {
		manager.login, manager.notifiedLogin = now(), manager.inPass
	}
}

// unlist removes the service from the account.
func (r *run) unlist(ctx context.Context) {
	r.editAccount(ctx, func(account *v1alpha1.CarrierAccountSpec) { account.ServiceIDs = []v1alpha1.CarrierID{"1"} })
}

// demand makes the account require approval for everything.
func (r *run) demand(ctx context.Context) {
	r.editAccount(ctx, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = v1alpha1.ApprovalAlways })
}

// replaceAccount deletes the account and creates it again.
func (r *run) replaceAccount(ctx context.Context) {
	account := r.account(ctx)
	must(r.store.Client().Delete(ctx, account.DeepCopy()))
	again := &v1alpha1.CarrierAccount{Spec: account.Spec}
	again.Name, again.Namespace, again.Annotations = account.Name, account.Namespace, account.Annotations
	must(r.store.Client().Create(ctx, again))
	r.alertAccount()
}

// retry sets a retry request, whatever the outcome of the newest attempt.
func (r *run) retry(ctx context.Context) {
	subject := r.subject()
	if subject == nil {
		return
	}
	request := subject.RequestOf(r.plan.Scenario.Asks)
	if request == nil {
		return
	}
	if request.Phase.Ended() && request.Phase != v1alpha1.PhaseSucceeded || r.failed[request.Location] {
		r.licenses++
	}
	r.meddled = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, request.AttemptID) })
}

// askForReading requests a new reading of the carrier's state.
func (r *run) askForReading(ctx context.Context) {
	r.meddled = true
	token := strconv.Itoa(len(r.effects))
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationReconcile, token) })
}

// speakEarly resolves an open attempt by what the carrier's records show at that time. If the
// sender has already read the object for the last time, it still sends the POST: "What remains is a
// pause between the last answer and the first byte" (R12).
func (r *run) speakEarly(ctx context.Context, p *port) {
	for _, one := range r.intents {
		if r.sentAs(one.AttemptID) == nil && one.Sender == p.sender && p.newest[readsObject] > one.number {
			r.lied = true
			r.licenses++
		}
	}
	r.speak(ctx, func(word string) string { return word })
}

// lie sets a false resolution. Resolving an accepted request as not accepted allows one more POST.
func (r *run) lie(ctx context.Context) {
	r.lied = true
	r.speak(ctx, func(word string) string {
		if strings.HasPrefix(word, "NotAccepted") {
			return "Succeeded"
		}
		r.licenses++
		return "NotAccepted"
	})
}

// speak resolves the open attempt with a word derived from the true one.
func (r *run) speak(ctx context.Context, as func(truth string) string) {
	subject := r.subject()
	if subject == nil || len(subject.OpenRequests()) == 0 {
		return
	}
	open := subject.OpenRequests()[0]
	word := open.AttemptID + "=" + as(r.truth(open))
	r.words[open.AttemptID], r.meddled = true, true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, word) })
}

// trust confirms, for the changes that are shown, that the service already has the unknown values.
func (r *run) trust(ctx context.Context) {
	subject := r.plain(ctx)
	if subject == nil || pendingOf(subject) == nil {
		delete(r.since, Trusted) // no change is shown
		return
	}
	hash := pendingOf(subject).Hash
	r.meddled = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationTrust, hash) })
}

// changeElsewhere applies the declared change at the carrier without the operator.
func (r *run) changeElsewhere(ctx context.Context) {
	service, is := r.plain(ctx).(*v1alpha1.BroadbandService)
	if !is || service.Spec.Plan == nil {
		delete(r.since, Elsewhere) // no plan is declared
		return
	}
	must(r.world.Carrier.SetPlan(lineID, service.Spec.Plan.Name))
	r.meddled = true
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
