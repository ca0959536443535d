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

// loseAnswer loses the response to the next POST of an operation. The carrier has either carried
// out the request or never received it.
func (s *describedSite) loseAnswer(operation simulator.Operation, carriedOut bool) {
	GinkgoHelper()
	fault := simulator.Fault{Kind: simulator.FaultReset, Processed: carriedOut}
	Expect(s.Carrier.FailNext("POST "+string(operation), fault)).To(Succeed())
}

var _ = Describe("A lost response, where the carrier describes its services", func() {
	DescribeTable("is proven within two minutes if it was carried out", func(ctx SpecContext, change describedChange) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		s.loseAnswer(change.operation, true)
		s.Edit(ctx, site, change.edit)
		service := s.pass(ctx, 2*time.Minute)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{change.operation}))
		Expect(service.Status.History).To(HaveLen(1))
		Expect(service.Status.History[0].Outcome).To(Equal(v1alpha1.PhaseSucceeded))

		s.restart()
		fixture.ExpectReady(s.pass(ctx, 3*time.Hour), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(HaveLen(1))
	}, eachDescribedChange())

	DescribeTable("is proven by a new process, too", func(ctx SpecContext, change describedChange) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		s.loseAnswer(change.operation, true)
		s.Edit(ctx, site, change.edit)
		s.pass(ctx, time.Second)
		s.restart()
		fixture.ExpectReady(s.pass(ctx, 4*time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{change.operation}))
	}, eachDescribedChange())

	DescribeTable("of a request that was never carried out is not proven: the old value proves nothing",
		func(ctx SpecContext, operation simulator.Operation, edit fixture.Edit) {
			s := beginDescribed(ctx, described(), automatic)
			s.declare(ctx)
			s.loseAnswer(operation, false)
			s.Edit(ctx, site, edit)
			service := s.pass(ctx, time.Hour)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{operation}))
			Expect(s.described()).To(BeNumerically("<=", 1+4+1+1), "the import, four for the outcome, one refresh, one slot")
		},
		Entry("plan change", simulator.OpPlanChange, fixture.WithPlan(world.PlanSlow, 12)),
		Entry("aggregation conversion", simulator.OpAggregationConversion,
			func(service *v1alpha1.BroadbandService) { service.Spec.AggregationMethod = "ETHERNET" }),
	)

	It("is not proven by a description asked for before the settling time is over", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		s.loseAnswer(simulator.OpAggregationConversion, true)
		s.Edit(ctx, site, func(service *v1alpha1.BroadbandService) { service.Spec.AggregationMethod = "ETHERNET" })
		s.pass(ctx, 50*time.Second)
		s.Annotate(ctx, site, v1alpha1.AnnotationReconcile, "now")
		read := s.described()
		service := s.pass(ctx, 5*time.Second)
		Expect(s.described()).To(Equal(read + 1))
		Expect(service.Status.Carrier.AggregationMethod.Value).To(Equal("ETHERNET"))
		Expect(service.OpenRequest().Phase).To(Equal(v1alpha1.PhaseSubmitting))
		fixture.ExpectReady(s.pass(ctx, time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{
			simulator.OpAggregationConversion, simulator.OpHealth, // the latter for the annotation
		}))
	})

	It("is proven later if the carrier takes long, and nobody is asked meanwhile", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		s.loseAnswer(simulator.OpPlanChange, false)
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		s.pass(ctx, 10*time.Second)
		Expect(s.Carrier.ModifyElsewhere(simulator.Modification{
			ServiceID: s.line, Operation: simulator.OpPlanChange, For: simulator.Duration(4 * time.Hour), Plan: world.PlanSlow,
		})).To(Succeed())
		service := s.pass(ctx, 3*time.Hour)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		Expect(service.OpenRequest().Phase).To(Equal(v1alpha1.PhaseSubmitting))
		fixture.ExpectReady(s.pass(ctx, 2*time.Hour), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(HaveLen(1))
	})

	It("is not proven by a change of the term alone, which is not described", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx, fixture.WithPlan(world.PlanSlow, 12))
		s.pass(ctx, 5*time.Minute)
		posts := len(s.postsSince(s.from))
		s.loseAnswer(simulator.OpPlanChange, true)
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 24))
		fixture.ExpectReady(s.pass(ctx, time.Hour), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(s.postsSince(s.from)).To(HaveLen(posts + 1))
	})
})
