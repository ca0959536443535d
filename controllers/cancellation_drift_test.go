// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A service with the declared cancellation", func() {
	It("is Ready once the date is reached, and nothing else is compared", func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, "2026-03-05"),
			withPlan(world.PlanSlow, 12), endOn("2026-03-05"), func(s *v1alpha1.BroadbandService) {
				s.Spec.Observe = v1alpha1.Observe{}
			})
		w.Clock.Advance(4 * 24 * time.Hour)
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		Expect(service.Status.Carrier.Cancellation.Cancelled).To(BeTrue())
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)

		w.Edit(ctx, site, withPlan(world.PlanFast, 12))
		w.Edit(ctx, site, withSLA(world.SLAFast))
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		Expect(condition(service, v1alpha1.ConditionPlanSynced).Type).To(BeEmpty())
		Expect(w.Posts(line) + alterations(w, line)).To(BeZero())
	})

	DescribeTable("that is new is Ready at once, whatever else is declared",
		func(ctx SpecContext, on, declared string, synced metav1.ConditionStatus) {
			w, process := begin(ctx)
			line := w.Line(withCancellation(stateCompleted, on))
			Expect(w.Create(ctx, w.Service(site, line, endOn(declared), withSLA(world.SLAFast)))).To(Succeed())
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonCancelled)
			Expect(condition(service, v1alpha1.ConditionCancellationSynced).Status).To(Equal(synced))
			Expect(service.Status.Pending).To(BeNil())
			Expect(w.Posts(line) + alterations(w, line)).To(BeZero())
		},
		Entry("on the declared date", "2026-02-01", "2026-02-01", metav1.ConditionTrue),
		Entry("before the declared date", "2026-02-01", wantedDate, metav1.ConditionFalse),
	)
})

var _ = DescribeTable("A cancellation that is moved at the carrier after it was as declared",
	func(ctx SpecContext, declared edit, state, date, from string) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, pendingDate), withoutPlan, declared)
		moveAtCarrier(w, line, state, date)

		service := readAgain(ctx, w, process)

		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(condition(service, v1alpha1.ConditionDrifted).Message).To(ContainSubstring(
			fmt.Sprintf("cancellation %q → %q", from, date)))
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(condition(service, v1alpha1.ConditionCancellationSynced).Message).To(ContainSubstring(
			fmt.Sprintf("changed the cancellation from %q to %q", from, date)))
		Expect(alterations(w, line)).To(Equal(1))
		expectAtCarrier(w, line, state, date)

		By("moving it back")
		moveAtCarrier(w, line, stateRequested, wantedDate)
		w.Edit(ctx, site, endOn(wantedDate))
		service = readAgain(ctx, w, process)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(condition(service, v1alpha1.ConditionDrifted).Type).To(BeEmpty())
	},
	Entry("is shown as drift, from one date to another", endOn(wantedDate), stateRequested, otherDate, wantedDate),
	Entry("is shown as drift, in error as well", endOn(wantedDate), stateInError, otherDate, wantedDate),
	Entry("is shown as drift, from none to the date", withoutEnd, stateRequested, otherDate, "none"),
)

var _ = Describe("Drift of a cancellation", func() {
	correct := func(s *v1alpha1.BroadbandService) { s.Spec.DriftPolicy = v1alpha1.DriftCorrect }

	It("is corrected once in 24 hours under driftPolicy Correct", func(ctx SpecContext) {
		w, process, line := settledService(ctx,
			withCancellation(stateRequested, pendingDate), withoutPlan, endOn(wantedDate), correct)
		w.Clock.Advance(25 * time.Hour)
		moveAtCarrier(w, line, stateRequested, otherDate)
		expectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateRequested, wantedDate)
		Expect(reschedules(w, line)).To(Equal(2))

		By("moving it again within 24 hours")
		w.Clock.Advance(time.Hour)
		moveAtCarrier(w, line, stateRequested, otherDate)
		service := readAgain(ctx, w, process)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(reschedules(w, line)).To(Equal(2))

		By("waiting until the 24 hours are over")
		w.Clock.Advance(23 * time.Hour)
		service = readAgain(ctx, w, process)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(condition(service, v1alpha1.ConditionDrifted).Type).To(BeEmpty())
		Expect(reschedules(w, line)).To(Equal(3))
		expectAtCarrier(w, line, stateRequested, wantedDate)
	})

	It("is still drift after an edit of something else", func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, pendingDate), withoutPlan, endOn(wantedDate))
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAutomatic })
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		moveAtCarrier(w, line, stateRequested, otherDate)
		service := readAgain(ctx, w, process)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(reschedules(w, line)).To(Equal(1), "driftPolicy is Report")
	})

	It("is also drift if the carrier was as declared from the beginning", func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, wantedDate), withoutPlan, endOn(wantedDate))
		moveAtCarrier(w, line, stateRequested, otherDate)
		service := readAgain(ctx, w, process)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(reschedules(w, line)).To(BeZero(), "driftPolicy is Report")
	})

	It("is also drift if it was declared as it was, and changed later", func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, pendingDate), withoutPlan)
		w.Edit(ctx, site, endOn(pendingDate))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		moveAtCarrier(w, line, stateRequested, otherDate)
		service := readAgain(ctx, w, process)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(reschedules(w, line)).To(BeZero(), "driftPolicy is Report")
	})

	It("is not corrected by a retry of a plan change", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, endOn(wantedDate)))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		moveAtCarrier(w, line, stateRequested, otherDate)
		service := readAgain(ctx, w, process)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)

		w.Clock.Advance(time.Minute)
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, retryTime(w))
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(w.Posts(line)).To(Equal(2), "one more attempt at what has failed")
		Expect(reschedules(w, line)).To(Equal(1), "driftPolicy is Report")
	})

	It("is found by the interval read, and then shown", func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, pendingDate), withoutPlan, endOn(wantedDate),
			func(s *v1alpha1.BroadbandService) { s.Spec.Observe = v1alpha1.Observe{HealthInterval: "0"} })
		moveAtCarrier(w, line, stateRequested, otherDate)
		w.Clock.Advance(7 * time.Hour) // the default is 6 h while a cancellation is declared
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(reschedules(w, line)).To(Equal(1))
	})
})

var _ = DescribeTable("Drift of a cancellation is still drift",
	func(ctx SpecContext, lose func(SpecContext, *world.World, *world.Process, int64)) {
		w, process, line := settledService(ctx, withCancellation(stateAborted, pendingDate), withoutPlan, withoutEnd)
		moveAtCarrier(w, line, stateRequested, otherDate)
		expectReady(readAgain(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonDrifted)

		lose(ctx, w, process, line)

		process.Drive(ctx, site)
		service := readAgain(ctx, w, process)
		expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(alterations(w, line)).To(BeZero(), "driftPolicy is Report")
	},
	Entry("after its status was emptied", func(ctx SpecContext, w *world.World, _ *world.Process, _ int64) {
		service := w.Read(ctx, site)
		service.Status = v1alpha1.BroadbandServiceStatus{}
		Expect(w.Status().Update(ctx, service)).To(Succeed())
	}),
	Entry("for a new object", func(ctx SpecContext, w *world.World, process *world.Process, line int64) {
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, withoutEnd))).To(Succeed())
	}),
	Entry("after its ledger was lost", func(ctx SpecContext, w *world.World, _ *world.Process, line int64) {
		ledger := serviceLedger(ctx, w, line)
		ledger.Finalizers = nil
		Expect(w.Update(ctx, ledger)).To(Succeed())
		Expect(w.Delete(ctx, ledger)).To(Succeed())
	}),
)

var _ = It("What an object has declared about a cancellation does not count for one that declares nothing",
	func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateAborted, pendingDate), withoutPlan, withoutEnd)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		unread := func(s *v1alpha1.BroadbandService) { s.Spec.Observe.CancellationInterval = "0" }
		Expect(w.Create(ctx, w.Service(site, line, withPlan(world.PlanSlow, 12), unread))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(serviceLedger(ctx, w, line).Spec.Known.AgreedCancellation).To(BeEmpty())

		moveAtCarrier(w, line, stateRequested, otherDate)
		w.Edit(ctx, site, withoutEnd)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, otherDate)
	})

var _ = It("A cancellation that is declared again after it was not managed is no drift", func(ctx SpecContext) {
	w, process, line := settledService(ctx, withCancellation(stateAborted, pendingDate), withoutPlan, withoutEnd)
	w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Cancellation = nil })
	expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	moveAtCarrier(w, line, stateRequested, otherDate)
	w.Edit(ctx, site, withoutEnd)
	expectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	expectAtCarrier(w, line, stateAborted, otherDate)
})
