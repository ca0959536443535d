// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// unread is a plan that cannot be read when it is to be changed.
type unread struct {
	fault   simulator.Fault
	waited  time.Duration // until the failure counts
	message string
}

var _ = DescribeTable("A plan that cannot be read is changed only if a person approves it (R7)",
	func(ctx SpecContext, scenario unread) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		scenario.fault.Times = 1_000
		Expect(s.Carrier.FailNext("POST Health", scenario.fault)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		s.pass(ctx, scenario.waited)
		service := s.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(world.Ready(service).Message).To(And(
			ContainSubstring("the service's plan could not be read"), ContainSubstring(scenario.message),
			ContainSubstring(`plan.name unknown → "`+world.PlanSlow+`"`), ContainSubstring(service.Status.Pending.Hash)))
		fixture.ExpectAspect(service, v1alpha1.ConditionApprovalRequired, metav1.ConditionTrue,
			v1alpha1.ReasonAwaitingApproval)
		hash := service.Status.Pending.Hash

		By("reconciling it by another process")
		s.restart()
		s.pass(ctx, scenario.waited)
		Expect(s.Read(ctx, site).ResourceVersion).To(Equal(service.ResourceVersion))
		Expect(s.Posts(s.line)).To(BeZero())

		By("approving it")
		s.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		s.pass(ctx, scenario.waited)
		service = s.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.Posts(s.line)).To(Equal(1))
		Expect(fixture.RecordedPlanChange(ctx, s.World, service)).To(HaveValue(And(
			HaveField("Before.Plan", ""), HaveField("ApprovedHash", hash))))
	},
	Entry("when the carrier answers 404", unread{fixture.AnswerStatus(404), 15 * time.Minute, "404"}),
	Entry("when the carrier answers 422", unread{
		fixture.InvalidField("constraints.unknown", "serviceId"), time.Minute, "constraints.unknown",
	}),
	Entry("when the carrier has been down for an hour", unread{
		simulator.Fault{Kind: simulator.FaultPage, Status: 503}, 70 * time.Minute, "503",
	}),
)

var _ = Describe("A plan that could not be read", func() {
	It("and can be again needs no approval (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		Expect(s.Carrier.FailNext("POST Health", fixture.InvalidField("constraints.unknown", "serviceId"))).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		fixture.ExpectReady(s.pass(ctx, time.Minute), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		s.Annotate(ctx, site, v1alpha1.AnnotationReconcile, "now")
		service, posts := s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(posts).To(Equal([]simulator.Operation{simulator.OpHealth, simulator.OpPlanChange}))
		Expect(fixture.RecordedPlanChange(ctx, s.World, service).Before.Plan).To(Equal(world.PlanFast))
	})

	It("blocks a change for less than an hour by itself (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		down := simulator.Fault{Kind: simulator.FaultPage, Status: 503, Times: 1_000}
		Expect(s.Carrier.FailNext("POST Health", down)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		fixture.ExpectReady(s.pass(ctx, 50*time.Minute), metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		s.Carrier.Disarm()
		service, _ := s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.Posts(s.line)).To(Equal(1))
	})
})

var _ = Describe("A reclaim is based on a cancellation that was read for it", func() {
	disconnected := func(ctx SpecContext) *settledSite {
		GinkgoHelper()
		w, process := fixture.Begin(ctx)
		s := &settledSite{World: w, process: process, line: w.Line(fixture.DisconnectedLine(fixture.ReclaimableTo))}
		Expect(w.Create(ctx, w.Service(site, s.line, fixture.WithoutPlan, fixture.Reporting))).To(Succeed())
		service, _ := s.drive(ctx)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
		return s
	}
	reconnect := func(s *settledSite) {
		GinkgoHelper()
		sold, _ := s.Carrier.Service(s.line)
		sold.Cancellation = nil
		s.Carrier.RemoveService(s.line)
		Expect(s.Carrier.AddService(sold)).To(Succeed())
	}

	It("and is not sent for a service that another client has reclaimed (R7)", func(ctx SpecContext) {
		s := disconnected(ctx)
		older := s.Read(ctx, site).Status
		reconnect(s)
		s.Edit(ctx, site, fixture.Reclaiming)
		service, _ := s.drive(ctx)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)

		By("restoring the older status")
		s.restoreStatus(ctx, older)
		service, _ = s.drive(ctx)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		Expect(fixture.Reclaims(s.World, s.line)).To(BeZero())
	})

	It("and waits for a person if it cannot be read (R7)", func(ctx SpecContext) {
		s := disconnected(ctx)
		refused := fixture.AnswerStatus(404)
		refused.Times = 1_000
		Expect(s.Carrier.FailNext("GET CancellationRead", refused)).To(Succeed())
		s.Edit(ctx, site, fixture.Reclaiming)
		service := s.pass(ctx, time.Minute)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(world.Ready(service).Message).To(ContainSubstring("the service's cancellation could not be read"))
		Expect(fixture.Reclaims(s.World, s.line)).To(BeZero())

		s.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		s.pass(ctx, time.Minute)
		Expect(fixture.Reclaims(s.World, s.line)).To(Equal(1))
	})
})
