// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A DSL stability profile", func() {
	const operation = "DSLStabilityProfileChange"
	const busy = "constraints.service.dsl.stability.change.request.in.progress"
	profileChanges := func(w *world.World, line int64) int {
		return w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, line).Seen
	}
	drive := func(ctx SpecContext, faults ...simulator.Fault) (*world.World, int64, *v1alpha1.BroadbandService) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnCopper)
		for _, fault := range faults {
			Expect(w.Carrier.FailNext(operation, fault)).To(Succeed())
		}
		Expect(w.Create(ctx, w.Service(site, line, withStableProfile))).To(Succeed())
		return w, line, process.Drive(ctx, site)
	}

	It("that is not known is requested once, and is then known", func(ctx SpecContext) {
		w, line, service := drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.DSLStabilityProfile.Value).To(Equal("Stable"))
		Expect(profileChanges(w, line)).To(Equal(1))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring("ServiceDslStabilityProfileChanged")))
	})

	It("waits while another change is in progress, five to thirty minutes at a time", func(ctx SpecContext) {
		w, line, service := drive(ctx, fixture.RefusedWith(busy, "serviceDslStabilityProfileChangeRequest"),
			fixture.RefusedWith(busy, "serviceDslStabilityProfileChangeRequest"))
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(profileChanges(w, line)).To(Equal(3))
		var times []time.Time
		for _, call := range w.Carrier.Calls() {
			if call.Operation == simulator.OpDSLStabilityProfileChange && call.Method == http.MethodPost {
				times = append(times, call.Time)
			}
		}
		Expect(times[1].Sub(times[0])).To(BeNumerically(">=", 5*time.Minute))
		Expect(times[2].Sub(times[1])).To(BeNumerically(">=", 10*time.Minute))
	})

	It("whose response was lost is requested again after fifteen minutes, and reports that", func(ctx SpecContext) {
		w, line, service := drive(ctx, simulator.Fault{Kind: simulator.FaultReset})
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		request := service.RequestOf(v1alpha1.OperationDSLStabilityProfileChange)
		Expect(request.Attempt).To(Equal(int32(2)))
		Expect(request.Repeats).To(Equal(int32(1)))
		Expect(profileChanges(w, line)).To(Equal(2))
		calls := w.Carrier.Calls()
		Expect(calls[len(calls)-1].Time.Sub(calls[0].Time)).To(BeNumerically(">=", 15*time.Minute))
	})

	It("whose response was lost three times waits for a person, and is not sent a fourth time", func(ctx SpecContext) {
		w, line, service := drive(ctx, simulator.Fault{Kind: simulator.FaultReset, Times: 5})
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(profileChanges(w, line)).To(Equal(3))
	})

	It("that is refused on a repeat waits for a person: the first may have succeeded", func(ctx SpecContext) {
		w, line, service := drive(ctx, simulator.Fault{Kind: simulator.FaultReset},
			fixture.RefusedWith("constraints.some.rule", "serviceId"))
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(profileChanges(w, line)).To(Equal(2))
	})

	It("that is in progress on a repeat is probably ours, and waits for its end", func(ctx SpecContext) {
		w, line, service := drive(ctx, simulator.Fault{Kind: simulator.FaultReset},
			fixture.RefusedWith(busy, "serviceDslStabilityProfileChangeRequest"))
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(profileChanges(w, line)).To(Equal(3))
	})

	It("stays open when its repeat is not processed, and the repeat is not counted", func(ctx SpecContext) {
		w, line, service := drive(ctx, simulator.Fault{Kind: simulator.FaultReset, Processed: true},
			simulator.Fault{Kind: simulator.FaultStatus, Status: 429})
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationDSLStabilityProfileChange).Repeats).To(Equal(int32(1)))
		Expect(profileChanges(w, line)).To(Equal(3))
	})

	It("that the carrier accepted and then failed shows its code", func(ctx SpecContext) {
		_, _, service := drive(ctx, simulator.Fault{Kind: simulator.FaultEndInError})
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDSLChangeFailed)
	})
})

// withStableProfile declares the stable DSL profile and nothing else.
func withStableProfile(service *v1alpha1.BroadbandService) {
	service.Spec.Plan, service.Spec.DSLStabilityProfile = nil, "Stable"
}
