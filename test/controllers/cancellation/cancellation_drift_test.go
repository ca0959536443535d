// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A service with the declared cancellation", func() {
	It("is Ready once the date is reached, and nothing else is compared", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, "2026-03-05"),
			fixture.WithPlan(world.PlanSlow, 12), fixture.EndOn("2026-03-05"), func(s *v1alpha1.BroadbandService) {
				s.Spec.Observe = v1alpha1.Observe{}
			})
		w.Clock.Advance(4 * 24 * time.Hour)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		Expect(service.Status.Carrier.Cancellation.Cancelled).To(BeTrue())
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)

		w.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
		w.Edit(ctx, site, fixture.WithSLA(world.SLAFast))
		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		Expect(fixture.Condition(service, v1alpha1.ConditionPlanSynced).Type).To(BeEmpty())
		Expect(w.Posts(line) + fixture.Alterations(w, line)).To(BeZero())
	})

	DescribeTable("that is new is Ready at once, whatever else is declared",
		func(ctx SpecContext, on, declared string, synced metav1.ConditionStatus) {
			w, process := fixture.Begin(ctx)
			line := w.Line(fixture.WithCancellation(fixture.StateCompleted, on))
			Expect(w.Create(ctx, w.Service(site, line, fixture.EndOn(declared), fixture.WithSLA(world.SLAFast)))).To(Succeed())
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonCancelled)
			Expect(fixture.Condition(service, v1alpha1.ConditionCancellationSynced).Status).To(Equal(synced))
			Expect(service.Status.Pending).To(BeNil())
			Expect(w.Posts(line) + fixture.Alterations(w, line)).To(BeZero())
		},
		Entry("on the declared date", "2026-02-01", "2026-02-01", metav1.ConditionTrue),
		Entry("before the declared date", "2026-02-01", fixture.WantedDate, metav1.ConditionFalse),
	)
})

var _ = DescribeTable("A cancellation that is moved at the carrier after it was as declared",
	func(ctx SpecContext, declared fixture.Edit, state, date, from string) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
			fixture.WithoutPlan, declared)
		fixture.MoveAtCarrier(w, line, state, date)

		service := readAgain(ctx, w, process)

		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Condition(service, v1alpha1.ConditionDrifted).Message).To(ContainSubstring(
			fmt.Sprintf("cancellation %q → %q", from, date)))
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(fixture.Condition(service, v1alpha1.ConditionCancellationSynced).Message).To(ContainSubstring(
			fmt.Sprintf("changed the cancellation from %q to %q", from, date)))
		Expect(fixture.Alterations(w, line)).To(Equal(1))
		expectAtCarrier(w, line, state, date)

		By("moving it back")
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
		w.Edit(ctx, site, fixture.EndOn(fixture.WantedDate))
		service = readAgain(ctx, w, process)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Condition(service, v1alpha1.ConditionDrifted).Type).To(BeEmpty())
	},
	Entry("is shown as drift, from one date to another", fixture.EndOn(fixture.WantedDate), fixture.StateRequested,
		fixture.OtherDate, fixture.WantedDate),
	Entry("is shown as drift, in error as well", fixture.EndOn(fixture.WantedDate), stateInError, fixture.OtherDate,
		fixture.WantedDate),
	Entry("is shown as drift, from none to the date", fixture.WithoutEnd, fixture.StateRequested, fixture.OtherDate,
		"none"),
)

var _ = Describe("Drift of a cancellation", func() {
	correct := func(s *v1alpha1.BroadbandService) { s.Spec.DriftPolicy = v1alpha1.DriftCorrect }

	It("is corrected once in 24 hours under driftPolicy Correct", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx,
			fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate), fixture.WithoutPlan,
			fixture.EndOn(fixture.WantedDate), correct)
		w.Clock.Advance(25 * time.Hour)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		fixture.ExpectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
		Expect(fixture.Reschedules(w, line)).To(Equal(2))

		By("moving it again within 24 hours")
		w.Clock.Advance(time.Hour)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		service := readAgain(ctx, w, process)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Reschedules(w, line)).To(Equal(2))

		By("waiting until the 24 hours are over")
		w.Clock.Advance(23 * time.Hour)
		service = readAgain(ctx, w, process)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Condition(service, v1alpha1.ConditionDrifted).Type).To(BeEmpty())
		Expect(fixture.Reschedules(w, line)).To(Equal(3))
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
	})

	It("is still drift after an edit of something else", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
			fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate))
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAutomatic })
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		service := readAgain(ctx, w, process)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Reschedules(w, line)).To(Equal(1), "driftPolicy is Report")
	})

	It("is also drift if the carrier was as declared from the beginning", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.WantedDate),
			fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate))
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		service := readAgain(ctx, w, process)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Reschedules(w, line)).To(BeZero(), "driftPolicy is Report")
	})

	It("is also drift if it was declared as it was, and changed later", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
			fixture.WithoutPlan)
		w.Edit(ctx, site, fixture.EndOn(fixture.PendingDate))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		service := readAgain(ctx, w, process)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Reschedules(w, line)).To(BeZero(), "driftPolicy is Report")
	})

	It("is not corrected by a retry of a plan change", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		service := readAgain(ctx, w, process)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)

		w.Clock.Advance(time.Minute)
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, fixture.RetryTime(w))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(w.Posts(line)).To(Equal(2), "one more attempt at what has failed")
		Expect(fixture.Reschedules(w, line)).To(Equal(1), "driftPolicy is Report")
	})

	It("is found by the interval read, and then shown", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
			fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate),
			func(s *v1alpha1.BroadbandService) { s.Spec.Observe = v1alpha1.Observe{HealthInterval: "0"} })
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		w.Clock.Advance(7 * time.Hour) // the default is 6 h while a cancellation is declared
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Reschedules(w, line)).To(Equal(1))
	})
})

var _ = DescribeTable("Drift of a cancellation is still drift",
	func(ctx SpecContext, lose func(SpecContext, *world.World, *world.Process, int64)) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(stateAborted, fixture.PendingDate),
			fixture.WithoutPlan, fixture.WithoutEnd)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		fixture.ExpectReady(readAgain(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonDrifted)

		lose(ctx, w, process, line)

		process.Drive(ctx, site)
		service := readAgain(ctx, w, process)
		fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
		Expect(fixture.Alterations(w, line)).To(BeZero(), "driftPolicy is Report")
	},
	Entry("after its status was emptied", func(ctx SpecContext, w *world.World, _ *world.Process, _ int64) {
		service := w.Read(ctx, site)
		service.Status = v1alpha1.BroadbandServiceStatus{}
		Expect(w.Status().Update(ctx, service)).To(Succeed())
	}),
	Entry("for a new object", func(ctx SpecContext, w *world.World, process *world.Process, line int64) {
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.WithoutEnd))).To(Succeed())
	}),
	Entry("after its ledger was lost", func(ctx SpecContext, w *world.World, _ *world.Process, line int64) {
		ledger := fixture.ServiceLedger(ctx, w, line)
		ledger.Finalizers = nil
		Expect(w.Update(ctx, ledger)).To(Succeed())
		Expect(w.Delete(ctx, ledger)).To(Succeed())
	}),
)

var _ = It("What an object has declared about a cancellation does not count for one that declares nothing",
	func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(stateAborted, fixture.PendingDate),
			fixture.WithoutPlan, fixture.WithoutEnd)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		unread := func(s *v1alpha1.BroadbandService) { s.Spec.Observe.CancellationInterval = "0" }
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanSlow, 12), unread))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.ServiceLedger(ctx, w, line).Spec.Known.AgreedCancellation).To(BeEmpty())

		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		w.Edit(ctx, site, fixture.WithoutEnd)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, fixture.OtherDate)
	})

var _ = It("A cancellation that is declared again after it was not managed is no drift", func(ctx SpecContext) {
	w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(stateAborted, fixture.PendingDate),
		fixture.WithoutPlan, fixture.WithoutEnd)
	w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Cancellation = nil })
	fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
	w.Edit(ctx, site, fixture.WithoutEnd)
	fixture.ExpectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	expectAtCarrier(w, line, stateAborted, fixture.OtherDate)
})
