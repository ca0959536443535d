// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// changeOnce makes a first change and approves it. Later changes that cost no more need no
// approval.
func (d pricedService) changeOnce(ctx context.Context) {
	GinkgoHelper()
	hash := expectAwaiting(d.declare(ctx, fixture.WithPlan(d.Read(ctx, site).Spec.Plan.Name, 36)),
		"monthly 45.00 AUD → 45.00 AUD")
	expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
}

var _ = DescribeTable("A change that costs no more needs approval once under approval OnCost",
	func(ctx SpecContext, wanted fixture.Edit, quotes int, sold ...func(*simulator.Service)) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost), sold...)
		d.changeOnce(ctx)
		sent, quoted := len(d.sent()), d.quotes()
		d.Clock.Advance(time.Hour) // the prices that were read are stale by then
		service := d.declare(ctx, wanted)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(sent + 1))
		Expect(d.quotes()).To(Equal(quoted + quotes))
	},
	Entry("a cheaper plan", fixture.WithPlan(world.PlanCheap, 12), 1),
	Entry("another term at the same price", fixture.WithPlan(world.PlanSlow, 24), 1),
	Entry("a more expensive SLA with a plan that is cheaper by more",
		both(fixture.WithPlan(world.PlanCheap, 12), fixture.WithSLA(world.SLAFast)), 1),
	Entry("a DSL stability profile", fixture.WithDSLProfile, 0, fixture.OnCopper),
	Entry("a cancellation's date", fixture.EndOn(fixture.WantedDate), 0,
		fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate)),
)

var _ = Describe("A service that was imported with an older plan", func() {
	It("is not changed to the defaults before a person has approved it", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx,
			func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = "" }) // with the default of the schema
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanCheap, 12)))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(world.Ready(service).Message).To(ContainSubstring(`plan.name "Home 100/20" → "Home 25/5"`))
		Expect(w.Posts(line)).To(BeZero())
	})

	It("is not changed because its former object had another change in progress", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DeleteInProgress(ctx, w, process)
		onCost := fixture.WithApproval(v1alpha1.ApprovalOnCost)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanCheap, 12), onCost))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(w.Posts(line)).To(Equal(1), "that of the object before")
	})
})
