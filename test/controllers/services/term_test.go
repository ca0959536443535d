// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The term of a plan change", func() {
	It("is shown before and after it is sent, although an imported service's term is unknown", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.WithPlan(world.PlanFast, 1),
			fixture.WithApproval(v1alpha1.ApprovalOnCost)))).To(Succeed())
		const term = `plan.term unknown → "1"`

		awaiting := process.Drive(ctx, site)

		hash := expectAwaiting(awaiting, term)
		Expect(awaiting.Status.Change).To(Equal("→ Home 100/20 for 1 month"))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring(term)))
		w.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.History[0].Change).To(ContainSubstring(term))
		Expect(w.Events.All()).To(ContainElement(And(ContainSubstring("PlanChange succeeded"), ContainSubstring(term))))
		ledger := &v1alpha1.RequestLedger{}
		Expect(w.Get(ctx, client.ObjectKey{Name: service.Status.Ledger.Name}, ledger)).To(Succeed())
		Expect(ledger.Spec.Ended[0].Changes).To(ContainElement(row("plan.term", "", "1")))
	})

	It("needs an approval when it becomes longer at the same fee, and none when shorter", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		d.changeOnce(ctx) // to 36 months
		sent := len(d.sent())
		fixture.ExpectReady(d.declare(ctx, fixture.WithPlan(world.PlanSlow, 12)), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(sent + 1))
		awaiting := d.declare(ctx, fixture.WithPlan(world.PlanSlow, 36))
		hash := expectAwaiting(awaiting, `plan.term "12" → "36" (one-time 0.00 AUD, monthly 45.00 AUD → 45.00 AUD)`)
		Expect(awaiting.Status.Change).To(Equal("term 12 → 36"))
		Expect(d.sent()).To(HaveLen(sent + 1))
		fixture.ExpectReady(d.approve(ctx, hash), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(sent + 2))
	})
})

var _ = It("A contact Secret without a phone is reported before an approval is asked for", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	line := w.Line()
	contact := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "contact"},
		StringData: map[string]string{"name": "Jo", "email": "jo@example.com"},
	}
	Expect(w.Create(ctx, contact)).To(Succeed())
	service := w.Service(site, line, withContactIn("contact"), fixture.WithApproval(v1alpha1.ApprovalOnCost))
	Expect(w.Create(ctx, service)).To(Succeed())

	passes := func() *v1alpha1.BroadbandService {
		for range 12 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		return w.Read(ctx, site)
	}
	stalled := passes()
	fixture.ExpectReady(stalled, metav1.ConditionFalse, v1alpha1.ReasonContactRequired)
	Expect(world.Ready(stalled).Message).To(ContainSubstring("phone"))
	Expect(w.Posts(line)).To(BeZero())

	By("the missing key")
	contact.StringData = map[string]string{"phone": "0400 000 000"}
	Expect(w.Update(ctx, contact)).To(Succeed())
	expectAwaiting(passes(), `plan.contact unknown → "Secret contact"`)
	Expect(w.Posts(line)).To(BeZero())
})
