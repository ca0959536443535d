// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A cancellation has a lane of its own, and waits for no modification.
var _ = Describe("A reschedule or abort", func() {
	DescribeTable("is sent while a plan change is in progress",
		func(ctx SpecContext, declared fixture.Edit, state, date string) {
			w, process := fixture.Begin(ctx)
			line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			fixture.DriveUntilAccepted(ctx, w, process)

			w.Edit(ctx, site, declared)
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())

			service := w.Read(ctx, site)
			Expect(fixture.Alterations(w, line)).To(Equal(1))
			expectAtCarrier(w, line, state, date)
			Expect(service.Status.InFlight.Operation).To(Equal(v1alpha1.OperationPlanChange))
			Expect(service.OpenRequests()).To(HaveLen(2))
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonProgressing)
			sold, _ := w.Carrier.Service(line)
			Expect(sold.Plan).To(Equal(world.PlanSlow), "the plan change has not ended")

			service = process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
			Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 1}))
			expectAtCarrier(w, line, state, date)
			Expect(service.Status.InFlight).To(BeNil())
		},
		Entry("when the cancellation is to be aborted", fixture.WithoutEnd, stateAborted, fixture.PendingDate),
		Entry("when the date is edited", fixture.EndOn(fixture.WantedDate), fixture.StateRequested, fixture.WantedDate),
	)

	It("is sent while the outcome of a plan change is unknown, which still waits for a person", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)

		w.Edit(ctx, site, fixture.WithoutEnd)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, fixture.PendingDate)
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 1}))

		fixture.ExpectReady(fixture.ExpectResolved(ctx, w, process, line), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	})

	It("is sent while the ledger of other requests is lost", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		fixture.RemoveLedger(ctx, w, fixture.ServiceLedger(ctx, w, line))
		w.Edit(ctx, site, fixture.EndOn(fixture.WantedDate))
		service := w.Start(world.CrashPoint{}).Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 1}))
	})

	It("is sent while the plan cannot be read", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		down := simulator.Fault{Kind: simulator.FaultPage, Status: 503, Times: 10_000}
		Expect(w.Carrier.FailNext("Health", down)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		for range 30 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		service := w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	})

	// unseen is a service with two requests in progress that becomes invisible, as when the permission
	// for it is revoked.
	unseen := func(ctx SpecContext, edits ...func(*v1alpha1.CarrierAccount)) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx, edits...)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		w.Edit(ctx, site, fixture.EndOn(fixture.WantedDate))
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Read(ctx, site).OpenRequests()).To(HaveLen(2))
		w.Carrier.RemoveService(line)
		return w, process, line
	}

	It("and a plan change that are both hidden by the carrier are polled without a write", func(ctx SpecContext) {
		w, process, _ := unseen(ctx)
		reconcileServiceFor(ctx, w, process, time.Hour)
		before := w.Read(ctx, site)
		reconcileServiceFor(ctx, w, process, time.Hour)
		Expect(w.Read(ctx, site).Status.LastError).To(Equal(before.Status.LastError))
		Expect(w.Read(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion))
	})

	It("does not prevent the Location of a plan change from counting as lost after a day", func(ctx SpecContext) {
		w, process, line := unseen(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Polling.Max = "1h" })
		reconcileServiceFor(ctx, w, process, 30*time.Hour)
		change := w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange)
		Expect(change.Phase).To(Equal(v1alpha1.PhaseOutcomeUnknown))
		Expect(change.Error).To(HaveValue(HaveField("Code", v1alpha1.ReasonHandleLost)))
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 1}))
	})

	It("does not hide why a plan change was refused", func(ctx SpecContext) {
		const code = "constraints.plan.change.plan.name.invalid"
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan("No Such Plan", 12)))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		w.Edit(ctx, site, fixture.WithoutEnd)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		Expect(world.Ready(service).Message).To(HavePrefix(code))
		expectAtCarrier(w, line, stateAborted, fixture.PendingDate)
		Expect(service.Status.LastError).To(HaveValue(HaveField("Code", code)))
	})

	It("needs no second approval if one was given for both it and a plan change", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.EndOn(fixture.WantedDate), func(s *v1alpha1.BroadbandService) {
			s.Spec.Approval = v1alpha1.ApprovalAlways
		}))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(service.Status.Pending.Changes).To(HaveLen(3), "plan, term and date")
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{0, 0}))

		w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 1}))
	})

	It("is approved with the other changes if it is the first", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.EndOn(fixture.WantedDate), func(s *v1alpha1.BroadbandService) {
			s.Spec.Approval = v1alpha1.ApprovalOnCost
		}))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{0, 0}))
		w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 1}))
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)

		By("moving it again")
		w.Edit(ctx, site, fixture.EndOn(fixture.OtherDate))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{w.Posts(line), fixture.Alterations(w, line)}).To(Equal([]int{1, 2}), "which costs nothing")
	})
})

// reconcileServiceFor reconciles a service for a span of time.
func reconcileServiceFor(ctx context.Context, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); w.Clock.Now().Before(end); {
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(min(max(result.RequeueAfter, time.Second), time.Hour))
	}
}
