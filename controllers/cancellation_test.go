// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// alteration is a scenario in which the cancellation has to be altered.
type alteration struct {
	state, date string // of the cancellation at the carrier
	declared    edit
	operation   v1alpha1.Operation
	event       string
	after       string // the state at the end
	on          string // and the date
	pending     string // the date that the column CANCELS shows; "" if nothing is pending
}

var _ = DescribeTable("A pending cancellation that differs from the declared one",
	func(ctx SpecContext, scenario alteration) {
		w, process, line := settledService(ctx,
			withCancellation(scenario.state, scenario.date), withoutPlan, scenario.declared)

		service := w.Read(ctx, site)
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, scenario.after, scenario.on)
		request := service.RequestOf(scenario.operation)
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(request.Location).To(Equal(fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", line)))
		Expect(request.Repeats).To(BeZero())
		Expect(service.Status.Requests).To(HaveLen(1))
		Expect(service.Status.Carrier.Cancellation.Status).To(Equal(scenario.after))
		Expect(service.Status.Carrier.Cancellation.RequestDate).To(Equal(scenario.on))
		Expect(service.Status.Carrier.Cancellation.PendingDate).To(Equal(scenario.pending))
		Expect(service.Status.InFlight).To(BeNil())
		Expect(service.Status.Pending).To(BeNil())
		Expect(service.Status.History).To(HaveExactElements(HaveField("Operation", scenario.operation)))
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Normal " + scenario.event)))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring(" at " + request.Location)))
		Expect(readsAfterPost(w)).To(HaveExactElements(http.StatusAccepted, http.StatusOK))

		By("another pass")
		expectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	},
	Entry("is moved to another date", alteration{
		state: stateRequested, date: pendingDate, declared: endOn(wantedDate),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: stateRequested, on: wantedDate, pending: wantedDate,
	}),
	Entry("is moved to another date although it is in error", alteration{
		state: stateInError, date: pendingDate, declared: endOn(wantedDate),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: stateRequested, on: wantedDate, pending: wantedDate,
	}),
	Entry("is moved to an earlier date", alteration{
		state: stateRequested, date: pendingDate, declared: endOn("2026-03-03"),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: stateRequested, on: "2026-03-03", pending: "2026-03-03",
	}),
	Entry("is aborted where none is declared", alteration{
		state: stateRequested, date: pendingDate, declared: withoutEnd,
		operation: v1alpha1.OperationCancellationAbort, event: "CancellationAborted",
		after: stateAborted, on: pendingDate,
	}),
	Entry("is aborted where none is declared although it is in error", alteration{
		state: stateInError, date: pendingDate, declared: withoutEnd,
		operation: v1alpha1.OperationCancellationAbort, event: "CancellationAborted",
		after: stateAborted, on: pendingDate,
	}),
)

var _ = Describe("A carrier that writes the date of a cancellation as midnight at its own offset", func() {
	It("means that day, whatever the account's time zone is", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, wantedDate))
		Expect(w.Carrier.FailNext("GET CancellationRead", simulator.Fault{
			Kind: simulator.FaultAlter, Times: 1000, Merge: []byte(`{"requestDate":"` + wantedDate + `T00:00:00+11:00"}`),
		})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Cancellation.RequestDate).To(Equal(wantedDate))
		Expect(alterations(w, line)).To(BeZero())
	})
})

// readsAfterPost are the responses to the reads of a cancellation after the POST that altered it.
func readsAfterPost(w *world.World) []int {
	var statuses []int
	posted := false
	for _, call := range w.Carrier.Calls() {
		posted = posted || call.Method == http.MethodPost && call.Operation != simulator.OpToken
		if posted && call.Operation == simulator.OpCancellationRead {
			statuses = append(statuses, call.Status)
		}
	}
	return statuses
}

var _ = Describe("A cancellation", func() {
	It("that is moved to today is carried out, as declared", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn("2026-03-02")))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		expectAtCarrier(w, line, stateCompleted, "2026-03-02")
		Expect(reschedules(w, line)).To(Equal(1))
	})

	It("that is edited while it is moved ends as declared last", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		moving := driveUntilAccepted(ctx, w, process)
		Expect(moving.Status.InFlight.Operation).To(Equal(v1alpha1.OperationCancellationReschedule))

		for _, date := range []string{"2026-05-01", "2026-05-02", otherDate} {
			w.Edit(ctx, site, endOn(date))
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			expectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		}
		Expect(reschedules(w, line)).To(Equal(1), "one at a time")
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateRequested, otherDate)
		Expect(reschedules(w, line)).To(Equal(2))
	})

	It("that is edited and edited back while it is moved causes no further request", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		driveUntilAccepted(ctx, w, process)
		w.Edit(ctx, site, withoutEnd)
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		w.Edit(ctx, site, endOn(wantedDate))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	})

	It("that is no longer wanted while it is moved is aborted once it has been moved", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		driveUntilAccepted(ctx, w, process)
		w.Edit(ctx, site, withoutEnd)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, wantedDate)
		Expect(alterations(w, line)).To(Equal(2))
	})

	It("that is no longer declared is left as it is", func(ctx SpecContext) {
		w, process, line := settledService(ctx, withCancellation(stateRequested, pendingDate), withoutPlan, endOn(wantedDate))
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Cancellation = nil })
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(condition(service, v1alpha1.ConditionCancellationSynced).Type).To(BeEmpty())
		Expect(alterations(w, line)).To(Equal(1))
		expectAtCarrier(w, line, stateRequested, wantedDate)
	})

	It("continues when its object is deleted and applied again", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		before := driveUntilAccepted(ctx, w, process).OpenCancellation()

		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationCancellationReschedule).AttemptID).To(Equal(before.AttemptID))
		Expect(reschedules(w, line)).To(Equal(1))
	})

	It("that failed for a deleted object does not block the cancellation that a new one declares", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(otherDate)))).To(Succeed())
		deleteInProgress(ctx, w, process)
		failed := refusedWith("constraints.service.not.eligible.for.cancellation", "status")
		failed.Times = 2 // the new object's first read, and the read of the request
		Expect(w.Carrier.FailNext("CancellationRead", failed)).To(Succeed())

		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)

		Expect(w.Carrier.Armed()).To(BeZero())
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateRequested, wantedDate)
		Expect(reschedules(w, line)).To(Equal(2))
	})
})

var _ = DescribeTable("A cancellation that may not be altered yet",
	func(ctx SpecContext, scenario blockedChange) {
		w, process := begin(ctx)
		line := w.Line(withCancellation(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, endOn(wantedDate), scenario.service))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, scenario.status, scenario.reason)
		Expect(world.Ready(service).Message).To(ContainSubstring(scenario.message))
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionFalse, scenario.reason)
		Expect(alterations(w, line)).To(BeZero())
		if scenario.release != nil {
			w.Edit(ctx, site, scenario.release)
		} else {
			w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		}
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	},
	Entry("waits while the service is suspended", blockedChange{
		service: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true },
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonSuspended,
		message: `cancellation "2026-06-30" → "2026-08-31"`,
		release: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = false },
	}),
	Entry("is only shown under managementPolicy Plan", blockedChange{
		service: underManagement(v1alpha1.ManagementPlan),
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonPlanned,
		message: `cancellation "2026-06-30" → "2026-08-31"`,
		release: underManagement(v1alpha1.ManagementManage),
	}),
	Entry("is left alone under managementPolicy Observe", blockedChange{
		service: underManagement(v1alpha1.ManagementObserve),
		status:  metav1.ConditionTrue, reason: v1alpha1.ReasonObserving, message: "nothing is changed",
		release: underManagement(v1alpha1.ManagementManage),
	}),
	Entry("waits for approval", blockedChange{
		service: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAlways },
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonAwaitingApproval,
		message: "the carrier does not charge for it; approve with",
	}),
)
