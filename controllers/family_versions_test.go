// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// atVersion gives an account an API version, and says whether the account may exceed that version
// for a family that the version does not have; "" is the default.
func atVersion(version int32, families v1alpha1.FamilyVersions) func(*v1alpha1.CarrierAccount) {
	return func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion, a.Spec.FamilyVersions = version, families }
}

// strictlyAt gives an account an API version that it may not exceed for any family.
func strictlyAt(version int32) func(*v1alpha1.CarrierAccount) {
	return atVersion(version, v1alpha1.FamilyVersionsStrict)
}

// versionsOf returns the versions of all calls of an operation, each once, with their method.
func versionsOf(w *world.World, operation simulator.Operation) []string {
	var versions []string
	for _, call := range w.Carrier.Calls() {
		if call.Operation == operation {
			versions = append(versions, fmt.Sprintf("%s at %d", call.Method, call.Version))
		}
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}

var _ = Describe("An API version below the least one of a family", func() {
	DescribeTable("is exceeded for that family alone, and its requests are polled as they were sent",
		func(ctx SpecContext, version int32, edit edit, operation v1alpha1.Operation, least int32) {
			w, process := begin(ctx, atVersion(version, ""))
			line := w.Line(func(s *simulator.Service) { s.TechnologyType = "FTTN" })
			Expect(w.Create(ctx, w.Service(site, line, edit))).To(Succeed())
			expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(serviceLedger(ctx, w, line).RequestOf(operation).APIVersion).To(Equal(least))
			Expect(versionsOf(w, simulator.Operation(operation))).To(Equal([]string{
				fmt.Sprintf("GET at %d", least), fmt.Sprintf("POST at %d", least),
			}))
			Expect(w.Carrier.Submissions(simulator.Operation(operation), line).Seen).To(Equal(1))
		},
		Entry("an aggregation conversion at 3", int32(3), aggregated("ETHERNET"),
			v1alpha1.OperationAggregationConversion, int32(4)),
		Entry("a DSL profile change at 1", int32(1), withStableProfile,
			v1alpha1.OperationDSLStabilityProfileChange, int32(4)),
		Entry("a plan change at 2, which has the family", int32(2), withPlan(world.PlanFast, 12),
			v1alpha1.OperationPlanChange, int32(2)),
	)

	It("is exceeded to read the plan by health, and the plan is changed at the account's version", func(ctx SpecContext) {
		w, process := begin(ctx, atVersion(4, v1alpha1.FamilyVersionsLeast))
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(versionsOf(w, simulator.OpHealth)).To(Equal([]string{"GET at 5", "POST at 5"}))
		Expect(versionsOf(w, simulator.OpPlanChange)).To(Equal([]string{"GET at 4", "POST at 4"}))
		Expect(versionsOf(w, simulator.OpCancellationRead)).To(Equal([]string{"GET at 4"}))
	})

	It("is exceeded for a quote", func(ctx SpecContext) {
		w, process := begin(ctx, atVersion(3, ""))
		s := quotes()
		Expect(w.Create(ctx, s.build(w, 0))).To(Succeed())
		object := s.until(ctx, w, process, v1alpha1.ReasonProgressing)
		Expect(object.Record().RequestOf(v1alpha1.OperationFibreBuildCharge).APIVersion).To(Equal(int32(6)))
		s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(versionsOf(w, simulator.OpFibreBuildCharge)).To(Equal([]string{"GET at 6", "POST at 6"}))
	})

	It("is not exceeded for a field that it does not have", func(ctx SpecContext) {
		w, process := begin(ctx, atVersion(5, ""))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, withSLA(world.SLAFast)))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
		Expect(world.Ready(service).Message).To(And(
			ContainSubstring("restorationSla"), Not(ContainSubstring("familyVersions"))))
		Expect(w.Posts(line)).To(BeZero())
	})

	DescribeTable("is not exceeded if the account is Strict",
		func(ctx SpecContext, version int32, edit edit, operation simulator.Operation) {
			w, process := begin(ctx, strictlyAt(version))
			line := w.Line(func(s *simulator.Service) { s.TechnologyType = "FTTN" })
			Expect(w.Create(ctx, w.Service(site, line, edit))).To(Succeed())
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
			Expect(world.Ready(service).Message).To(ContainSubstring("familyVersions"))
			Expect(w.Carrier.Submissions(operation, line).Seen).To(BeZero())
			Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeZero())
		},
		Entry("an aggregation conversion at 3", int32(3), aggregated("ETHERNET"), simulator.OpAggregationConversion),
		Entry("a DSL profile change at 3", int32(3), withStableProfile, simulator.OpDSLStabilityProfileChange),
		Entry("a plan, read by health, at 4", int32(4), withPlan(world.PlanFast, 12), simulator.OpPlanChange),
	)
})
