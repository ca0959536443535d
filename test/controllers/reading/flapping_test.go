// SPDX-License-Identifier: Apache-2.0

package reading_test

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

// flappingSpec is a spec that is edited again and again while the request for world.PlanFast is in
// progress.
type flappingSpec struct {
	edits   []fixture.Edit // in turn, ten in total
	passes  bool           // whether the operator reconciles after each
	last    fixture.Edit   // the newest spec
	further int            // requests after the one in progress
	sold    simulator.Service
}

var _ = DescribeTable("A spec that changes ten times while a request runs",
	func(ctx SpecContext, scenario flappingSpec) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		running := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()
		for i := range 10 {
			w.Edit(ctx, site, scenario.edits[i%len(scenario.edits)])
			if scenario.passes {
				_, err := process.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				Expect(world.Ready(w.Read(ctx, site)).Status).To(Equal(metav1.ConditionFalse))
			}
		}
		w.Edit(ctx, site, scenario.last)
		fixture.ExpectReady(fixture.DriveUntilAccepted(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		Expect(w.Read(ctx, site).OpenRequest().AttemptID).To(Equal(running.AttemptID))

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.ObservedGeneration).To(Equal(service.Generation))
		Expect(service.Status.Pending).To(BeNil())
		Expect(fixture.Changes(w, line)).To(Equal(1 + scenario.further))
		sold, _ := w.Carrier.Service(line)
		Expect([]any{sold.Plan, sold.Term, sold.RestorationSLA}).To(
			Equal([]any{scenario.sold.Plan, scenario.sold.Term, scenario.sold.RestorationSLA}))
	},
	Entry("leads to one further request, for the newest", flappingSpec{
		edits: []fixture.Edit{
			fixture.WithPlan(world.PlanSlow, 12), fixture.WithSLA(world.SLAFast), fixture.WithPlan(world.PlanFast, 24),
			fixture.WithSLA(""),
		},
		last: fixture.WithPlan(world.PlanSlow, 36), further: 1, passes: true,
		sold: simulator.Service{Plan: world.PlanSlow, Term: 36, RestorationSLA: world.SLAFast},
	}),
	Entry("without a pass in between leads to one further request, for the newest", flappingSpec{
		edits: []fixture.Edit{
			fixture.WithPlan(world.PlanSlow, 12), fixture.WithPlan(world.PlanFast, 24),
		},
		last: fixture.WithSLA(world.SLAFast), further: 1,
		sold: simulator.Service{Plan: world.PlanFast, Term: 24, RestorationSLA: world.SLAFast},
	}),
	Entry("and then back leads to none", flappingSpec{
		edits: []fixture.Edit{
			fixture.WithPlan(world.PlanSlow, 12), fixture.WithPlan(world.PlanFast, 24), fixture.WithSLA(world.SLAFast),
		},
		last: func(s *v1alpha1.BroadbandService) {
			s.Spec.RestorationSLA = ""
			fixture.WithPlan(world.PlanFast, 12)(s)
		},
		sold: simulator.Service{Plan: world.PlanFast, Term: 12, RestorationSLA: world.SLAStd}, passes: true,
	}),
	Entry("and then to no declared plan leads to none", flappingSpec{
		edits: []fixture.Edit{
			fixture.WithPlan(world.PlanSlow, 12), fixture.Aggregated("ETHERNET"), fixture.Aggregated("L2TP"),
		},
		last: func(s *v1alpha1.BroadbandService) { s.Spec.Plan, s.Spec.AggregationMethod = nil, "" },
		sold: simulator.Service{Plan: world.PlanFast, Term: 12, RestorationSLA: world.SLAStd}, passes: true,
	}),
)

var _ = Describe("Services that are imported as declared", func() {
	It("send nothing, read their cancellation once, and report that nothing was confirmed", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		lines := map[string]int64{}
		for i := range 3 {
			name, line := fmt.Sprintf("import-%d", i), w.Line(fixture.OnCopper)
			lines[name] = line
			Expect(w.Create(ctx, w.Service(name, line, fixture.WithSLA(world.SLAFast), func(s *v1alpha1.BroadbandService) {
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
				fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
				for _, aspect := range []string{
					v1alpha1.ConditionPlanSynced, v1alpha1.ConditionRestorationSLASynced,
					v1alpha1.ConditionAggregationSynced, v1alpha1.ConditionDSLProfileSynced,
				} {
					synced := fixture.Condition(service, aspect)
					Expect(synced.Status).To(Equal(metav1.ConditionTrue), aspect)
					Expect(synced.Message).To(ContainSubstring("never confirmed"), aspect)
				}
			}
			process = w.Start(world.CrashPoint{})
		}
		Expect(fixture.CallsSince(w, calls)).To(Equal(fixture.CallCounts{Cancellation: len(lines)}))
	})
})
