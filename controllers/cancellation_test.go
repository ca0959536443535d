// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The states of a cancellation that the specification names, and two that were observed.
const (
	stateRequested  = "REQUESTED"
	stateInError    = "IN_ERROR"
	stateCompleted  = "COMPLETED"
	stateAborted    = "ABORTED"
	stateHandedOver = "IN_PROGRESS"
	stateTurnedDown = "REJECTED"
)

// The dates of these scenarios. The world begins on 2026-03-02.
const (
	pendingDate = "2026-06-30" // of the cancellation at the carrier
	wantedDate  = "2026-08-31" // to which it is to be moved
	otherDate   = "2026-10-31" // to which somebody else moves it
)

// holding gives a service of the simulated carrier a cancellation.
func holding(state, date string) func(*simulator.Service) {
	return func(s *simulator.Service) { s.Cancellation = &simulator.Cancellation{Status: state, RequestDate: date} }
}

// endOn declares the date on which the service is to end.
func endOn(date string) edit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: v1alpha1.Date(date)}
	}
}

// goOn declares that the service is not to end.
func goOn(s *v1alpha1.BroadbandService) {
	s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
}

// sansPlan declares no plan.
func sansPlan(s *v1alpha1.BroadbandService) { s.Spec.Plan = nil }

func rescheduled(w *world.World, line int64) int {
	return w.Carrier.Submissions(simulator.OpCancellationReschedule, line).Seen
}

// alterations counts the POSTs that alter a service's cancellation.
func alterations(w *world.World, line int64) int {
	return rescheduled(w, line) + w.Carrier.Submissions(simulator.OpCancellationAbort, line).Seen
}

// moveAtCarrier changes a cancellation without the operator, as the carrier's staff would.
func moveAtCarrier(w *world.World, line int64, state, date string) {
	GinkgoHelper()
	w.Clock.Advance(time.Minute) // it is another request, made at another time
	Expect(w.Carrier.SetCancellation(line, &simulator.Cancellation{Status: state, RequestDate: date})).To(Succeed())
}

// expectAtCarrier expects a cancellation in the state of the simulated carrier.
func expectAtCarrier(w *world.World, line int64, state, date string) {
	GinkgoHelper()
	sold, _ := w.Carrier.Service(line)
	Expect(sold.Cancellation).To(HaveValue(Equal(simulator.Cancellation{Status: state, RequestDate: date})))
}

// expectAspect expects a condition to have a status and a reason.
func expectAspect(
	service *v1alpha1.BroadbandService, conditionType string, status metav1.ConditionStatus, reason string,
) {
	GinkgoHelper()
	held := condition(service, conditionType)
	Expect(string(held.Status)+"/"+held.Reason).To(Equal(string(status)+"/"+reason), held.Message)
}

// lookAnewAtSite forces everything to be read again, whatever its interval.
func lookAnewAtSite(ctx context.Context, w *world.World, process *world.Process) *v1alpha1.BroadbandService {
	GinkgoHelper()
	w.Annotate(ctx, site, v1alpha1.AnnotationReconcile, w.Clock.Now().String())
	return process.Drive(ctx, site)
}

// settledOn creates a service and drives it until it is settled.
func settledOn(
	ctx context.Context, line func(*simulator.Service), edits ...edit,
) (*world.World, *world.Process, int64) {
	GinkgoHelper()
	w, process := begin(ctx)
	id := w.Line(line)
	Expect(w.Create(ctx, w.Service(site, id, edits...))).To(Succeed())
	expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	return w, process, id
}

// alteration is a scenario in which the cancellation has to be altered.
type alteration struct {
	state, date string // of the cancellation at the carrier
	declared    edit
	operation   v1alpha1.Operation
	event       string
	after       string // the state at the end
	on          string // and the date
}

var _ = DescribeTable("A pending cancellation that differs from the declared one",
	func(ctx SpecContext, story alteration) {
		w, process, line := settledOn(ctx, holding(story.state, story.date), sansPlan, story.declared)

		service := w.Read(ctx, site)
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, story.after, story.on)
		request := service.RequestOf(story.operation)
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(request.Location).To(Equal(fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", line)))
		Expect(request.Repeats).To(BeZero())
		Expect(service.Status.Requests).To(HaveLen(1))
		Expect(service.Status.Carrier.Cancellation.Status).To(Equal(story.after))
		Expect(service.Status.Carrier.Cancellation.RequestDate).To(Equal(story.on))
		Expect(service.Status.InFlight).To(BeNil())
		Expect(service.Status.Pending).To(BeNil())
		Expect(service.Status.History).To(HaveExactElements(HaveField("Operation", story.operation)))
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Normal " + story.event)))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring(" at " + request.Location)))
		Expect(readsAfterPost(w)).To(HaveExactElements(http.StatusAccepted, http.StatusOK))

		By("looking again")
		expectReady(lookAnewAtSite(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
		Expect(w.Carrier.Violations()).To(BeEmpty())
	},
	Entry("is moved to another date", alteration{
		state: stateRequested, date: pendingDate, declared: endOn(wantedDate),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: stateRequested, on: wantedDate,
	}),
	Entry("is moved to another date although it is in error", alteration{
		state: stateInError, date: pendingDate, declared: endOn(wantedDate),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: stateRequested, on: wantedDate,
	}),
	Entry("is moved to an earlier date", alteration{
		state: stateRequested, date: pendingDate, declared: endOn("2026-03-03"),
		operation: v1alpha1.OperationCancellationReschedule, event: "CancellationRescheduled",
		after: stateRequested, on: "2026-03-03",
	}),
	Entry("is aborted where none is declared", alteration{
		state: stateRequested, date: pendingDate, declared: goOn,
		operation: v1alpha1.OperationCancellationAbort, event: "CancellationAborted",
		after: stateAborted, on: pendingDate,
	}),
	Entry("is aborted where none is declared although it is in error", alteration{
		state: stateInError, date: pendingDate, declared: goOn,
		operation: v1alpha1.OperationCancellationAbort, event: "CancellationAborted",
		after: stateAborted, on: pendingDate,
	}),
)

// readsAfterPost are the answers to the reads of a cancellation after the POST that altered it.
func readsAfterPost(w *world.World) []int {
	var answers []int
	posted := false
	for _, call := range w.Carrier.Calls() {
		posted = posted || call.Method == http.MethodPost && call.Operation != simulator.OpToken
		if posted && call.Operation == simulator.OpCancellationRead {
			answers = append(answers, call.Status)
		}
	}
	return answers
}

var _ = Describe("A cancellation", func() {
	It("that is moved to today is carried out, and that is as declared", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn("2026-03-02")))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonCancelled)
		expectAtCarrier(w, line, stateCompleted, "2026-03-02")
		Expect(rescheduled(w, line)).To(Equal(1))
	})

	It("that is edited while it is moved ends as was declared last", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate)))).To(Succeed())
		Expect(inFlight(ctx, w, process).Status.InFlight.Operation).To(Equal(v1alpha1.OperationCancellationReschedule))

		for _, date := range []string{"2026-05-01", "2026-05-02", otherDate} {
			w.Edit(ctx, site, endOn(date))
			_, err := process.Look(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			expectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		}
		Expect(rescheduled(w, line)).To(Equal(1), "one at a time")
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateRequested, otherDate)
		Expect(rescheduled(w, line)).To(Equal(2))
	})

	It("that is edited there and back while it is moved costs no further request", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate)))).To(Succeed())
		inFlight(ctx, w, process)
		w.Edit(ctx, site, goOn)
		_, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		w.Edit(ctx, site, endOn(wantedDate))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	})

	It("that is given up while it is moved is aborted once it has been moved", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate)))).To(Succeed())
		inFlight(ctx, w, process)
		w.Edit(ctx, site, goOn)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateAborted, wantedDate)
		Expect(alterations(w, line)).To(Equal(2))
	})

	It("that is no longer declared is left as it is", func(ctx SpecContext) {
		w, process, line := settledOn(ctx, holding(stateRequested, pendingDate), sansPlan, endOn(wantedDate))
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Cancellation = nil })
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(condition(service, v1alpha1.ConditionCancellationSynced).Type).To(BeEmpty())
		Expect(alterations(w, line)).To(Equal(1))
		expectAtCarrier(w, line, stateRequested, wantedDate)
	})

	It("goes on where it was when its object is deleted and applied again", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate)))).To(Succeed())
		before := inFlight(ctx, w, process).OpenCancellation()

		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationCancellationReschedule).AttemptID).To(Equal(before.AttemptID))
		Expect(rescheduled(w, line)).To(Equal(1))
	})

	It("that failed for a deleted object does not hold back what a new one declares", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(otherDate)))).To(Succeed())
		leaveInFlight(ctx, w, process)
		failed := refusedWith("constraints.service.not.eligible.for.cancellation", "status")
		failed.Times = 2 // the new object's first read, and the read of the request
		Expect(w.Carrier.FailNext("CancellationRead", failed)).To(Succeed())

		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)

		Expect(w.Carrier.Armed()).To(BeZero())
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, stateRequested, wantedDate)
		Expect(rescheduled(w, line)).To(Equal(2))
	})
})

var _ = DescribeTable("A cancellation that may not be altered yet",
	func(ctx SpecContext, story waits) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		Expect(w.Create(ctx, w.Service(site, line, sansPlan, endOn(wantedDate), story.service))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, story.status, story.reason)
		Expect(world.Ready(service).Message).To(ContainSubstring(story.message))
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionFalse, story.reason)
		Expect(alterations(w, line)).To(BeZero())
		if story.release != nil {
			w.Edit(ctx, site, story.release)
		} else {
			w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		}
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(alterations(w, line)).To(Equal(1))
	},
	Entry("waits while the service is suspended", waits{
		service: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true },
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonSuspended,
		message: `cancellation "2026-06-30" → "2026-08-31"`,
		release: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = false },
	}),
	Entry("is only shown under managementPolicy Plan", waits{
		service: underManagement(v1alpha1.ManagementPlan),
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonPlanned,
		message: `cancellation "2026-06-30" → "2026-08-31"`,
		release: underManagement(v1alpha1.ManagementManage),
	}),
	Entry("is left alone under managementPolicy Observe", waits{
		service: underManagement(v1alpha1.ManagementObserve),
		status:  metav1.ConditionTrue, reason: v1alpha1.ReasonObserving, message: "nothing is changed",
		release: underManagement(v1alpha1.ManagementManage),
	}),
	Entry("waits until somebody approves it", waits{
		service: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAlways },
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonAwaitingApproval,
		message: "the carrier quotes no price for it; approve with",
	}),
)
