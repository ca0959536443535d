// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// alteration is a scenario in which the cancellation has to be altered.
type alteration struct {
	state, date string // of the cancellation at the carrier
	declared    fixture.Edit
	operation   v1alpha1.Operation
	event       string
	after       string // the state at the end
	on          string // and the date
	pending     string // the date that the column CANCELS shows; "" if nothing is pending
}

var _ = DescribeTable("A pending cancellation that differs from the declared one",
	func(ctx SpecContext, scenario alteration) {
		w, process, line := fixture.SettledService(ctx,
			fixture.WithCancellation(scenario.state, scenario.date), fixture.WithoutPlan, scenario.declared)

		service := w.Read(ctx, site)
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
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
		fixture.ExpectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	},
	Entry("is moved to another date", alteration{
		state: fixture.StateRequested, date: fixture.PendingDate, declared: fixture.EndOn(fixture.WantedDate),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: fixture.StateRequested, on: fixture.WantedDate, pending: fixture.WantedDate,
	}),
	Entry("is moved to another date although it is in error", alteration{
		state: stateInError, date: fixture.PendingDate, declared: fixture.EndOn(fixture.WantedDate),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: fixture.StateRequested, on: fixture.WantedDate, pending: fixture.WantedDate,
	}),
	Entry("is moved to an earlier date", alteration{
		state: fixture.StateRequested, date: fixture.PendingDate, declared: fixture.EndOn("2026-03-03"),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: fixture.StateRequested, on: "2026-03-03", pending: "2026-03-03",
	}),
	Entry("is aborted where none is declared", alteration{
		state: fixture.StateRequested, date: fixture.PendingDate, declared: fixture.WithoutEnd,
		operation: v1alpha1.OperationCancellationAbort, event: "CancellationAborted",
		after: stateAborted, on: fixture.PendingDate,
	}),
	Entry("is aborted where none is declared although it is in error", alteration{
		state: stateInError, date: fixture.PendingDate, declared: fixture.WithoutEnd,
		operation: v1alpha1.OperationCancellationAbort, event: "CancellationAborted",
		after: stateAborted, on: fixture.PendingDate,
	}),
)

var _ = Describe("A carrier that writes the date of a cancellation as midnight at its own offset", func() {
	It("means that day, whatever the account's time zone is", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.WantedDate))
		Expect(w.Carrier.FailNext("GET CancellationRead", simulator.Fault{
			Kind: simulator.FaultAlter, Times: 1000,
			Merge: []byte(`{"requestDate":"` + fixture.WantedDate + `T00:00:00+11:00"}`),
		})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Cancellation.RequestDate).To(Equal(fixture.WantedDate))
		Expect(fixture.Alterations(w, line)).To(BeZero())
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
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn("2026-03-02")))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		expectAtCarrier(w, line, fixture.StateCompleted, "2026-03-02")
		Expect(fixture.Reschedules(w, line)).To(Equal(1))
	})

	It("that is edited while it is moved ends as declared last", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		moving := fixture.DriveUntilAccepted(ctx, w, process)
		Expect(moving.Status.InFlight.Operation).To(Equal(v1alpha1.OperationCancellationReschedule))

		for _, date := range []string{"2026-05-01", "2026-05-02", fixture.OtherDate} {
			w.Edit(ctx, site, fixture.EndOn(date))
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		}
		Expect(fixture.Reschedules(w, line)).To(Equal(1), "one at a time")
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		Expect(fixture.Reschedules(w, line)).To(Equal(2))
	})

	It("that is edited and edited back while it is moved causes no further request", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		w.Edit(ctx, site, fixture.WithoutEnd)
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		w.Edit(ctx, site, fixture.EndOn(fixture.WantedDate))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	})

	It("that is no longer wanted while it is moved is aborted once it has been moved", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		w.Edit(ctx, site, fixture.WithoutEnd)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, fixture.WantedDate)
		Expect(fixture.Alterations(w, line)).To(Equal(2))
	})

	It("that is no longer declared is left as it is", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
			fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate))
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Cancellation = nil })
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Condition(service, v1alpha1.ConditionCancellationSynced).Type).To(BeEmpty())
		Expect(fixture.Alterations(w, line)).To(Equal(1))
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
	})

	It("continues when its object is deleted and applied again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		before := fixture.DriveUntilAccepted(ctx, w, process).OpenCancellation()

		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationCancellationReschedule).AttemptID).To(Equal(before.AttemptID))
		Expect(fixture.Reschedules(w, line)).To(Equal(1))
	})

	It("that failed for a deleted object does not block the cancellation that a new one declares", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.OtherDate)))).To(Succeed())
		fixture.DeleteInProgress(ctx, w, process)
		failed := fixture.RefusedWith("constraints.service.not.eligible.for.cancellation", "status")
		failed.Times = 2 // the new object's first read, and the read of the request
		Expect(w.Carrier.FailNext("CancellationRead", failed)).To(Succeed())

		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)

		Expect(w.Carrier.Armed()).To(BeZero())
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
		Expect(fixture.Reschedules(w, line)).To(Equal(2))
	})
})

var _ = DescribeTable("A cancellation that may not be altered yet",
	func(ctx SpecContext, scenario fixture.BlockedChange) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx,
			w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate), scenario.Service))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, scenario.Status, scenario.Reason)
		Expect(world.Ready(service).Message).To(ContainSubstring(scenario.Message))
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionFalse, scenario.Reason)
		Expect(fixture.Alterations(w, line)).To(BeZero())
		if scenario.Release != nil {
			w.Edit(ctx, site, scenario.Release)
		} else {
			w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		}
		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	},
	Entry("waits while the service is suspended", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonSuspended,
		Message: `cancellation "2026-06-30" → "2026-08-31"`,
		Release: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = false },
	}),
	Entry("is only shown under managementPolicy Plan", fixture.BlockedChange{
		Service: fixture.UnderManagement(v1alpha1.ManagementPlan),
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonPlanned,
		Message: `cancellation "2026-06-30" → "2026-08-31"`,
		Release: fixture.UnderManagement(v1alpha1.ManagementManage),
	}),
	Entry("is left alone under managementPolicy Observe", fixture.BlockedChange{
		Service: fixture.UnderManagement(v1alpha1.ManagementObserve),
		Status:  metav1.ConditionTrue, Reason: v1alpha1.ReasonObserving, Message: "nothing is changed",
		Release: fixture.UnderManagement(v1alpha1.ManagementManage),
	}),
	Entry("waits for approval", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAlways },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonAwaitingApproval,
		Message: "the carrier does not charge for it; approve with",
	}),
)
