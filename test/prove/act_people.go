// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// suspend has a user suspend the service.
func (r *run) suspend(ctx context.Context) {
	r.edit(ctx, func(subject Subject) {
		if service, is := subject.(*v1alpha1.BroadbandService); is {
			service.Spec.Suspend, r.meddled = true, true
		}
	})
}

// editAccount has somebody edit the account.
func (r *run) editAccount(ctx context.Context, edit func(*v1alpha1.CarrierAccountSpec)) {
	account := r.account(ctx)
	edit(&account.Spec)
	must(r.store.Client().Update(ctx, account))
	r.meddled = true
	r.alertAccount()
}

// alertAccount tells every manager that the account has changed, as a watch would.
func (r *run) alertAccount() {
	for _, manager := range r.managers {
		manager.login, manager.toldLogin = now(), manager.inPass
	}
}

// unlist takes the service from the account.
func (r *run) unlist(ctx context.Context) {
	r.editAccount(ctx, func(account *v1alpha1.CarrierAccountSpec) { account.ServiceIDs = []v1alpha1.CarrierID{"1"} })
}

// demand has the account ask for approval of everything.
func (r *run) demand(ctx context.Context) {
	r.editAccount(ctx, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = v1alpha1.ApprovalAlways })
}

// replaceAccount has somebody delete the account and create it again.
func (r *run) replaceAccount(ctx context.Context) {
	account := r.account(ctx)
	must(r.store.Client().Delete(ctx, account.DeepCopy()))
	again := &v1alpha1.CarrierAccount{Spec: account.Spec}
	again.Name, again.Namespace, again.Annotations = account.Name, account.Namespace, account.Annotations
	must(r.store.Client().Create(ctx, again))
	r.alertAccount()
}

// retry has a person ask for one more attempt, whatever has become of the newest.
func (r *run) retry(ctx context.Context) {
	subject := r.subject()
	if subject == nil {
		return
	}
	request := subject.RequestOf(r.plan.Story.Asks)
	if request == nil {
		return
	}
	if request.Phase.Ended() && request.Phase != v1alpha1.PhaseSucceeded || r.failed[request.Location] {
		r.licenses++
	}
	r.meddled = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, request.AttemptID) })
}

// askForReading has a person ask for what the carrier has now.
func (r *run) askForReading(ctx context.Context) {
	r.meddled = true
	token := strconv.Itoa(len(r.effects))
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationReconcile, token) })
}

// speakEarly has a person say of an attempt under way what the carrier's books say at that time. Once
// the last look at the object is over, the POST goes out all the same: "What remains is a pause
// between the last answer and the first byte" (R12).
func (r *run) speakEarly(ctx context.Context, p *port) {
	for _, one := range r.intents {
		if r.sentAs(one.AttemptID) == nil && one.Sender == p.sender && p.newest[readsObject] > one.number {
			r.lied = true
			r.licenses++
		}
	}
	r.speak(ctx, func(word string) string { return word })
}

// lie has a person say the contrary. Who says that what was taken was not lets it be sent once more.
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

// speak has a person say something of the attempt under way, given what the carrier's books say.
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

// trust has a person say of the changes that are shown that the service has the unknown values.
func (r *run) trust(ctx context.Context) {
	subject := r.plain(ctx)
	if subject == nil || pendingOf(subject) == nil {
		delete(r.since, Trusted) // nothing is shown
		return
	}
	hash := pendingOf(subject).Hash
	r.meddled = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationTrust, hash) })
}

// changeElsewhere has somebody else bring about at the carrier what the service declares.
func (r *run) changeElsewhere(ctx context.Context) {
	service, is := r.plain(ctx).(*v1alpha1.BroadbandService)
	if !is || service.Spec.Plan == nil {
		delete(r.since, Elsewhere) // nobody declares a plan
		return
	}
	must(r.world.Carrier.SetPlan(lineID, service.Spec.Plan.Name))
	r.meddled = true
}

// pendingOf is the plan of changes that an object shows; nil for none.
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
