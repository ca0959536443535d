// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// changeOnce makes a first change and approves it. Later changes that cost no more need no
// approval.
func (d pricedService) changeOnce(ctx context.Context) {
	GinkgoHelper()
	hash := expectAwaiting(d.declare(ctx, withPlan(d.Read(ctx, site).Spec.Plan.Name, 36)), "monthly 45.00 AUD → 45.00 AUD")
	expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
}

var _ = DescribeTable("A change that costs no more needs approval once under approval OnCost",
	func(ctx SpecContext, wanted edit, quotes int, sold ...func(*simulator.Service)) {
		d := newPricedService(ctx, withApproval(v1alpha1.ApprovalOnCost), sold...)
		d.changeOnce(ctx)
		sent, quoted := len(d.sent()), d.quotes()
		d.Clock.Advance(time.Hour) // the prices that were read are stale by then
		service := d.declare(ctx, wanted)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(sent + 1))
		Expect(d.quotes()).To(Equal(quoted + quotes))
	},
	Entry("a cheaper plan", withPlan(world.PlanCheap, 12), 1),
	Entry("another term at the same price", withPlan(world.PlanSlow, 24), 1),
	Entry("a more expensive SLA with a plan that is cheaper by more",
		both(withPlan(world.PlanCheap, 12), withSLA(world.SLAFast)), 1),
	Entry("a DSL stability profile", withDSLProfile, 0, onCopper),
	Entry("a cancellation's date", endOn(wantedDate), 0, withCancellation(stateRequested, pendingDate)),
)

var _ = Describe("A service that was imported with an older plan", func() {
	It("is not changed to the defaults before a person has approved it", func(ctx SpecContext) {
		w, process := begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = "" }) // with the default of the schema
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		Expect(w.Create(ctx, w.Service(site, line, withPlan(world.PlanCheap, 12)))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(world.Ready(service).Message).To(ContainSubstring(`plan.name "Home 100/20" → "Home 25/5"`))
		Expect(w.Posts(line)).To(BeZero())
	})

	It("is not changed because its former object had another change in progress", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		deleteInProgress(ctx, w, process)
		onCost := withApproval(v1alpha1.ApprovalOnCost)
		Expect(w.Create(ctx, w.Service(site, line, withPlan(world.PlanCheap, 12), onCost))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(w.Posts(line)).To(Equal(1), "that of the object before")
	})
})
