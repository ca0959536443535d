// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An aggregation method", func() {
	conversions := func(w *world.World, line int64) int {
		return w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen
	}

	It("that is not known is requested once, and is then known", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.AggregationMethod.Value).To(Equal("ETHERNET"))
		Expect(conversions(w, line)).To(Equal(1))
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeZero(), "no plan is declared")
		Expect(w.Events.All()).To(ContainElement(ContainSubstring("ServiceAggregationModified")))
		sold, _ := w.Carrier.Service(line)
		Expect(sold.AggregationMethod).To(Equal("ETHERNET"))
		w.Clock.Advance(fixture.Horizon)
		process.Drive(ctx, site)
		Expect(conversions(w, line)).To(Equal(1))
	})

	It("that is trusted as declared is not requested", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("L2TP"), func(s *v1alpha1.BroadbandService) {
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
		}))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(conversions(w, line)).To(BeZero())
	})

	It("is converted after the plan change, and never at the same time", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, func(s *v1alpha1.BroadbandService) {
			s.Spec.AggregationMethod = "ETHERNET"
		}))).To(Succeed())

		during := fixture.DriveUntilAccepted(ctx, w, process)
		Expect(during.Status.InFlight.Operation).To(Equal(v1alpha1.OperationPlanChange))
		Expect(during.Status.Pending.Changes).To(HaveLen(3), "plan, term and method")
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(conversions(w, line)).To(Equal(1))
	})

	It("is converted although the plan was refused, and the refusal is still shown", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan("No Such Plan", 12), func(s *v1alpha1.BroadbandService) {
			s.Spec.AggregationMethod = "ETHERNET"
		}))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		synced := world.Condition(service.Status.Conditions, v1alpha1.ConditionAggregationSynced)
		Expect(synced.Status).To(Equal(metav1.ConditionTrue))
	})

	It("whose conversion the carrier holds is tracked until it completes", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("AggregationConversion", simulator.Fault{
			Kind: simulator.FaultStall, Body: "waiting for the exchange",
		})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())
		held := false
		for range 60 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			service := w.Read(ctx, site)
			if ready := world.Ready(service); ready.Reason == v1alpha1.ReasonCarrierHold {
				held = true
				Expect(ready.Message).To(ContainSubstring("waiting for the exchange"))
				Expect(service.RequestOf(v1alpha1.OperationAggregationConversion).CarrierStatus).To(Equal("IN_ERROR"))
			}
			w.Clock.Advance(result.RequeueAfter)
			if result.RequeueAfter > fixture.Horizon {
				break
			}
		}
		Expect(held).To(BeTrue())
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(conversions(w, line)).To(Equal(1))
	})

	DescribeTable("that the carrier refuses",
		func(ctx SpecContext, edit func(*simulator.Service), fault simulator.FaultKind, reason string) {
			w, process := fixture.Begin(ctx)
			line := w.Line(fixture.OrNoop(edit))
			if fault != "" {
				Expect(w.Carrier.FailNext("AggregationConversion", simulator.Fault{Kind: fault})).To(Succeed())
			}
			Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, reason)
			Expect(world.Ready(service).Message).To(HavePrefix("constraints.service."))
			Expect(conversions(w, line)).To(Equal(1))
		},
		Entry("because the service is not TC4",
			func(s *simulator.Service) { s.TrafficClass = "TC2" }, simulator.FaultNone, v1alpha1.ReasonServiceNotTC4),
		Entry("because the conversion failed",
			nil, simulator.FaultEndInError, v1alpha1.ReasonAggregationConversionFailed),
	)

	It("whose POST has a lost response waits for a person at once: class Never", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		lost := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext("AggregationConversion", lost)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"=Succeeded")
		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.AggregationMethod.Source).To(Equal(v1alpha1.SourceDeclared))
		Expect(conversions(w, line)).To(Equal(1))
	})
})
