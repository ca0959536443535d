// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An API version below the least one of a family", func() {
	DescribeTable("is exceeded for that family alone, and its requests are polled as they were sent",
		func(ctx SpecContext, version int32, edit fixture.Edit, operation v1alpha1.Operation, least int32) {
			w, process := fixture.Begin(ctx, fixture.AtVersion(version, ""))
			line := w.Line(func(s *simulator.Service) { s.TechnologyType = "FTTN" })
			Expect(w.Create(ctx, w.Service(site, line, edit))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(fixture.ServiceLedger(ctx, w, line).RequestOf(operation).APIVersion).To(Equal(least))
			Expect(fixture.VersionsOf(w, simulator.Operation(operation))).To(Equal([]string{
				fmt.Sprintf("GET at %d", least), fmt.Sprintf("POST at %d", least),
			}))
			Expect(w.Carrier.Submissions(simulator.Operation(operation), line).Seen).To(Equal(1))
		},
		Entry("an aggregation conversion at 3", int32(3), fixture.Aggregated("ETHERNET"),
			v1alpha1.OperationAggregationConversion, int32(4)),
		Entry("a DSL profile change at 1", int32(1), withStableProfile,
			v1alpha1.OperationDSLStabilityProfileChange, int32(4)),
		Entry("a plan change at 2, which has the family", int32(2), fixture.WithPlan(world.PlanFast, 12),
			v1alpha1.OperationPlanChange, int32(2)),
	)

	It("is exceeded to read the plan by health, and the plan is changed at the account's version", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, fixture.AtVersion(4, v1alpha1.FamilyVersionsLeast))
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.VersionsOf(w, simulator.OpHealth)).To(Equal([]string{"GET at 5", "POST at 5"}))
		Expect(fixture.VersionsOf(w, simulator.OpPlanChange)).To(Equal([]string{"GET at 4", "POST at 4"}))
		Expect(fixture.VersionsOf(w, simulator.OpCancellationRead)).To(Equal([]string{"GET at 4"}))
	})

	It("is exceeded for a quote", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, fixture.AtVersion(3, ""))
		s := fixture.Quotes()
		Expect(w.Create(ctx, s.Build(w, 0))).To(Succeed())
		object := s.Until(ctx, w, process, v1alpha1.ReasonProgressing)
		Expect(object.Record().RequestOf(v1alpha1.OperationFibreBuildCharge).APIVersion).To(Equal(int32(6)))
		s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.VersionsOf(w, simulator.OpFibreBuildCharge)).To(Equal([]string{"GET at 6", "POST at 6"}))
	})

	It("is not exceeded for a field that it does not have", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, fixture.AtVersion(5, ""))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast)))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
		Expect(world.Ready(service).Message).To(And(
			ContainSubstring("restorationSla"), Not(ContainSubstring("familyVersions"))))
		Expect(w.Posts(line)).To(BeZero())
	})

	DescribeTable("is not exceeded if the account is Strict",
		func(ctx SpecContext, version int32, edit fixture.Edit, operation simulator.Operation) {
			w, process := fixture.Begin(ctx, fixture.StrictlyAt(version))
			line := w.Line(func(s *simulator.Service) { s.TechnologyType = "FTTN" })
			Expect(w.Create(ctx, w.Service(site, line, edit))).To(Succeed())
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
			Expect(world.Ready(service).Message).To(ContainSubstring("familyVersions"))
			Expect(w.Carrier.Submissions(operation, line).Seen).To(BeZero())
			Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeZero())
		},
		Entry("an aggregation conversion at 3", int32(3), fixture.Aggregated("ETHERNET"), simulator.OpAggregationConversion),
		Entry("a DSL profile change at 3", int32(3), withStableProfile, simulator.OpDSLStabilityProfileChange),
		Entry("a plan, read by health, at 4", int32(4), fixture.WithPlan(world.PlanFast, 12), simulator.OpPlanChange),
	)
})
