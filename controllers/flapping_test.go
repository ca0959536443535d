// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// flappingSpec is a spec that is edited again and again while the request for world.PlanFast is in
// progress.
type flappingSpec struct {
	edits   []edit // in turn, ten in total
	passes  bool   // whether the operator reconciles after each
	last    edit   // the newest spec
	further int    // requests after the one in progress
	sold    simulator.Service
}

var _ = DescribeTable("A spec that changes ten times while a request runs",
	func(ctx SpecContext, scenario flappingSpec) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		running := driveUntilAccepted(ctx, w, process).OpenRequest()
		for i := range 10 {
			w.Edit(ctx, site, scenario.edits[i%len(scenario.edits)])
			if scenario.passes {
				_, err := process.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				Expect(world.Ready(w.Read(ctx, site)).Status).To(Equal(metav1.ConditionFalse))
			}
		}
		w.Edit(ctx, site, scenario.last)
		expectReady(driveUntilAccepted(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		Expect(w.Read(ctx, site).OpenRequest().AttemptID).To(Equal(running.AttemptID))

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.ObservedGeneration).To(Equal(service.Generation))
		Expect(service.Status.Pending).To(BeNil())
		Expect(changes(w, line)).To(Equal(1 + scenario.further))
		sold, _ := w.Carrier.Service(line)
		Expect([]any{sold.Plan, sold.Term, sold.RestorationSLA}).To(
			Equal([]any{scenario.sold.Plan, scenario.sold.Term, scenario.sold.RestorationSLA}))
	},
	Entry("leads to one further request, for the newest", flappingSpec{
		edits: []edit{withPlan(world.PlanSlow, 12), withSLA(world.SLAFast), withPlan(world.PlanFast, 24), withSLA("")},
		last:  withPlan(world.PlanSlow, 36), further: 1, passes: true,
		sold: simulator.Service{Plan: world.PlanSlow, Term: 36, RestorationSLA: world.SLAFast},
	}),
	Entry("without a pass in between leads to one further request, for the newest", flappingSpec{
		edits: []edit{withPlan(world.PlanSlow, 12), withPlan(world.PlanFast, 24)},
		last:  withSLA(world.SLAFast), further: 1,
		sold: simulator.Service{Plan: world.PlanFast, Term: 24, RestorationSLA: world.SLAFast},
	}),
	Entry("and then back leads to none", flappingSpec{
		edits: []edit{withPlan(world.PlanSlow, 12), withPlan(world.PlanFast, 24), withSLA(world.SLAFast)},
		last:  func(s *v1alpha1.BroadbandService) { s.Spec.RestorationSLA = ""; withPlan(world.PlanFast, 12)(s) },
		sold:  simulator.Service{Plan: world.PlanFast, Term: 12, RestorationSLA: world.SLAStd}, passes: true,
	}),
	Entry("and then to no declared plan leads to none", flappingSpec{
		edits: []edit{withPlan(world.PlanSlow, 12), aggregated("ETHERNET"), aggregated("L2TP")},
		last:  func(s *v1alpha1.BroadbandService) { s.Spec.Plan, s.Spec.AggregationMethod = nil, "" },
		sold:  simulator.Service{Plan: world.PlanFast, Term: 12, RestorationSLA: world.SLAStd}, passes: true,
	}),
)

var _ = Describe("Services that are imported as declared", func() {
	It("send nothing, read their cancellation once, and report that nothing was confirmed", func(ctx SpecContext) {
		w, process := begin(ctx)
		lines := map[string]int64{}
		for i := range 3 {
			name, line := fmt.Sprintf("import-%d", i), w.Line(onCopper)
			lines[name] = line
			Expect(w.Create(ctx, w.Service(name, line, withSLA(world.SLAFast), func(s *v1alpha1.BroadbandService) {
				s.Spec.AggregationMethod, s.Spec.DSLStabilityProfile = "ETHERNET", "Stable"
				s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{
					v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA,
					v1alpha1.TrustAggregationMethod, v1alpha1.TrustDSLStabilityProfile,
				}
			}))).To(Succeed())
		}
		calls := len(w.Carrier.Calls())
		for range 2 {
			for name := range lines {
				service := process.Drive(ctx, name)
				expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
				for _, aspect := range []string{
					v1alpha1.ConditionPlanSynced, v1alpha1.ConditionRestorationSLASynced,
					v1alpha1.ConditionAggregationSynced, v1alpha1.ConditionDSLProfileSynced,
				} {
					synced := condition(service, aspect)
					Expect(synced.Status).To(Equal(metav1.ConditionTrue), aspect)
					Expect(synced.Message).To(ContainSubstring("never confirmed"), aspect)
				}
			}
			process = w.Start(world.CrashPoint{})
		}
		Expect(callsSince(w, calls)).To(Equal(callCounts{cancellation: len(lines)}))
	})
})
