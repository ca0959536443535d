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

// unknownLine is a number that the carrier does not know.
const unknownLine = int64(999_999)

// trustEverything is what an import declares so that no request is sent.
func trustEverything(service *v1alpha1.BroadbandService) {
	spec := &service.Spec
	spec.RestorationSLA, spec.AggregationMethod, spec.DSLStabilityProfile = world.SLAStd, "L2TP", "Stable"
	spec.TrustDeclared = []v1alpha1.TrustedAspect{
		v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA, v1alpha1.TrustAggregationMethod, v1alpha1.TrustDSLStabilityProfile,
	}
}

func expectHidden(service *v1alpha1.BroadbandService) {
	GinkgoHelper()
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
	fixture.ExpectAspect(service, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotFoundOrForbidden)
}

var _ = DescribeTable("A service that the carrier does not know is NotFoundOrForbidden",
	func(ctx SpecContext, want fixture.CallCounts, edits ...fixture.Edit) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, unknownLine, edits...))).To(Succeed())
		fixture.Elapse(ctx, w, process, time.Minute)
		service := w.Read(ctx, site)
		expectHidden(service)
		Expect(fixture.CallsSince(w, 0)).To(Equal(want))

		By("reconciling it by another process")
		process = w.Start(world.CrashPoint{})
		fixture.Elapse(ctx, w, process, time.Minute)
		Expect(w.Read(ctx, site).ResourceVersion).To(Equal(service.ResourceVersion), "nothing is written")

		By("adding it at the carrier")
		Expect(w.Carrier.AddService(simulator.Service{
			ID: unknownLine, Client: w.ClientName, TechnologyType: "FTTP", Plan: world.PlanFast, Term: 12,
			RestorationSLA: world.SLAStd,
		})).To(Succeed())
		fixture.Elapse(ctx, w, process, 11*time.Minute)
		Expect(world.Ready(w.Read(ctx, site)).Reason).NotTo(Equal(v1alpha1.ReasonNotFoundOrForbidden))
	},
	Entry("if nothing is declared", fixture.CallCounts{Cancellation: 1}, fixture.WithoutPlan),
	Entry("if a plan is declared", fixture.CallCounts{Health: 1, Cancellation: 1}),
	Entry("if all values are trusted", fixture.CallCounts{Cancellation: 1}, trustEverything),
	Entry("if readings are switched off", fixture.CallCounts{Cancellation: 1}, withIntervals("0", "0", "0"),
		fixture.WithoutPlan),
	Entry("under managementPolicy Observe", fixture.CallCounts{Cancellation: 1}, fixture.WithoutPlan,
		fixture.UnderManagement(v1alpha1.ManagementObserve)),
	Entry("under managementPolicy Plan", fixture.CallCounts{Cancellation: 1}, trustEverything,
		fixture.UnderManagement(v1alpha1.ManagementPlan)),
	Entry("while it is suspended", fixture.CallCounts{Cancellation: 1}, trustEverything, fixture.Suspended(true)),
	Entry("if only an aggregation method is declared", fixture.CallCounts{Cancellation: 1},
		fixture.Aggregated("ETHERNET")),
)

var _ = DescribeTable("A service that the carrier no longer shows is NotFoundOrForbidden, and read less and less",
	func(ctx SpecContext, operation simulator.Operation, count func(fixture.CallCounts) int, edits ...fixture.Edit) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord, append(edits, withIntervals("1h", "1h", "1h"))...)
		s.pass(ctx, time.Hour+time.Minute)
		gone := simulator.Fault{Kind: simulator.FaultStatus, Status: 404, Times: 1_000}
		Expect(s.Carrier.FailNext(string(operation), gone)).To(Succeed())
		service := s.pass(ctx, time.Hour+time.Minute)
		expectHidden(service)

		calls := len(s.Carrier.Calls())
		Expect(s.pass(ctx, 10*time.Hour).ResourceVersion).To(Equal(service.ResourceVersion), "that is no news")
		Expect(count(fixture.CallsSince(s.World, calls))).To(And(BeNumerically(">=", 2), BeNumerically("<=", 6)))
		s.restart()
		Expect(s.pass(ctx, time.Minute).ResourceVersion).To(Equal(service.ResourceVersion), "nor is it to a new process")

		s.Carrier.Disarm()
		fixture.ExpectReady(s.pass(ctx, 11*time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	},
	Entry("when health answers 404", simulator.OpHealth, func(counts fixture.CallCounts) int { return counts.Health }),
	Entry("when the cancellation answers 404", simulator.OpCancellationRead, ofCancellation),
	Entry("when disruptions answer 404", simulator.OpDisruptions, ofDisruptions),
)

var _ = Describe("A service from an order that the carrier has not accepted", func() {
	It("is not Ready, whatever the order's spec.serviceID says", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnFast)
		Expect(w.Create(ctx, w.Order(fixture.OrderName, "PO-1", func(o *v1alpha1.ServiceOrder) {
			o.Spec.ServiceID, o.Spec.Approval = v1alpha1.CarrierIDOf(line), v1alpha1.ApprovalAlways
		}))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, fixture.OrderName), metav1.ConditionFalse,
			v1alpha1.ReasonAwaitingApproval)
		Expect(w.Create(ctx, w.Service(site, line, fixture.FromOrder))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
		Expect(world.Ready(service).Message).To(ContainSubstring("has not been accepted"))
		Expect(fixture.CallsSince(w, 0)).To(Equal(fixture.CallCounts{}))
	})
})
