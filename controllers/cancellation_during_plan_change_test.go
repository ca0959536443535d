// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A cancellation has a lane of its own, and waits for no modification.
var _ = Describe("A reschedule or abort", func() {
	DescribeTable("is sent while a plan change is in progress",
		func(ctx SpecContext, declared edit, state, date string) {
			w, process := begin(ctx)
			line := w.Line(withCancellation(stateRequested, pendingDate))
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			driveUntilAccepted(ctx, w, process)

			w.Edit(ctx, site, declared)
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())

			service := w.Read(ctx, site)
			Expect(alterations(w, line)).To(Equal(1))
			expectAtCarrier(w, line, state, date)
			Expect(service.Status.InFlight.Operation).To(Equal(v1alpha1.OperationPlanChange))
			Expect(service.OpenRequests()).To(HaveLen(2))
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonProgressing)
			sold, _ := w.Carrier.Service(line)
			Expect(sold.Plan).To(Equal(world.PlanSlow), "the plan change has not ended")

			service = process.Drive(ctx, site)
			expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
			Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 1}))
			expectAtCarrier(w, line, state, date)
			Expect(service.Status.InFlight).To(BeNil())
		},
		Entry("when the cancellation is to be aborted", withoutEnd, stateAborted, pendingDate),
		Entry("when the date is edited", endOn(wantedDate), stateRequested, wantedDate),
	)

	It("is sent while the outcome of a plan change is unknown, which still waits for a person", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)

		w.Edit(ctx, site, withoutEnd)
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, pendingDate)
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 1}))

		expectReady(expectResolved(ctx, w, process, line), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	})

	It("is sent while the ledger of other requests is lost", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		driveUntilAccepted(ctx, w, process)
		removeLedger(ctx, w, serviceLedger(ctx, w, line))
		w.Edit(ctx, site, endOn(wantedDate))
		service := w.Start(world.CrashPoint{}).Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		expectAtCarrier(w, line, stateRequested, wantedDate)
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 1}))
	})

	It("is sent while the plan cannot be read", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		down := simulator.Fault{Kind: simulator.FaultPage, Status: 503, Times: 10_000}
		Expect(w.Carrier.FailNext("Health", down)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, endOn(wantedDate)))).To(Succeed())
		for range 30 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		service := w.Read(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	})

	// unseen is a service with two requests in progress that becomes invisible, as when the permission
	// for it is revoked.
	unseen := func(ctx SpecContext, edits ...func(*v1alpha1.CarrierAccount)) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		w, process := begin(ctx, edits...)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		driveUntilAccepted(ctx, w, process)
		w.Edit(ctx, site, endOn(wantedDate))
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
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 1}))
	})

	It("does not hide why a plan change was refused", func(ctx SpecContext) {
		const code = "constraints.plan.change.plan.name.invalid"
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withPlan("No Such Plan", 12)))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		w.Edit(ctx, site, withoutEnd)
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		Expect(world.Ready(service).Message).To(HavePrefix(code))
		expectAtCarrier(w, line, stateAborted, pendingDate)
		Expect(service.Status.LastError).To(HaveValue(HaveField("Code", code)))
	})

	It("needs no second approval if one was given for both it and a plan change", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, endOn(wantedDate), func(s *v1alpha1.BroadbandService) {
			s.Spec.Approval = v1alpha1.ApprovalAlways
		}))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(service.Status.Pending.Changes).To(HaveLen(3), "plan, term and date")
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{0, 0}))

		w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 1}))
	})

	It("is approved with the other changes if it is the first", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, endOn(wantedDate), func(s *v1alpha1.BroadbandService) {
			s.Spec.Approval = v1alpha1.ApprovalOnCost
		}))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{0, 0}))
		w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 1}))
		expectAtCarrier(w, line, stateRequested, wantedDate)

		By("moving it again")
		w.Edit(ctx, site, endOn(otherDate))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{w.Posts(line), alterations(w, line)}).To(Equal([]int{1, 2}), "which costs nothing")
	})
})
