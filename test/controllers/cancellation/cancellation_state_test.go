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

// The sub-errors of a reschedule or abort.
const (
	codeNotRequested = "constraints.service-cancellation.not.requested"
	codeNotEligible  = "constraints.service.not.eligible.for.cancellation"
	codePast         = "constraints.local.date.future.or.present"
)

// unsentCase is a scenario in which nothing is sent.
type unsentCase struct {
	line     func(*simulator.Service)
	carrier  func(*simulator.Simulator, int64)
	declared fixture.Edit
	reason   string // of CancellationSynced, which is True if the reason is InSync
	message  string
}

var _ = DescribeTable("A cancellation for which no request is sent",
	func(ctx SpecContext, scenario unsentCase) {
		w, process := fixture.Begin(ctx)
		line := w.Line(scenario.line)
		if scenario.carrier != nil {
			scenario.carrier(w.Carrier, line)
		}
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, scenario.declared))).To(Succeed())

		for range 2 {
			service := process.Drive(ctx, site)
			status := metav1.ConditionTrue
			if scenario.reason != v1alpha1.ReasonInSync {
				status = metav1.ConditionFalse
				Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
			}
			fixture.ExpectReady(service, status, scenario.reason)
			Expect(world.Ready(service).Message).To(ContainSubstring(scenario.message))
			fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, status, scenario.reason)
			Expect(service.Status.Pending).To(BeNil())
			Expect(fixture.Alterations(w, line)).To(BeZero())
			w.Annotate(ctx, site, v1alpha1.AnnotationReconcile, "again")
		}
	},
	Entry("has the declared date", unsentCase{
		line:     fixture.WithCancellation(fixture.StateRequested, fixture.WantedDate),
		declared: fixture.EndOn(fixture.WantedDate), reason: v1alpha1.ReasonInSync,
	}),
	Entry("has the declared date, in error", unsentCase{
		line: fixture.WithCancellation(stateInError, fixture.WantedDate), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonInSync,
	}),
	Entry("has the declared date and can no longer be altered", unsentCase{
		line: fixture.WithCancellation(stateHandedOver, fixture.WantedDate), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonInSync,
	}),
	Entry("does not exist, as declared", unsentCase{
		line: noCancellation, declared: fixture.WithoutEnd, reason: v1alpha1.ReasonInSync,
	}),
	Entry("was stateAborted, as declared", unsentCase{
		line: fixture.WithCancellation(stateAborted, fixture.PendingDate), declared: fixture.WithoutEnd,
		reason: v1alpha1.ReasonInSync,
	}),
	Entry("was rejected, and none is declared", unsentCase{
		line: fixture.WithCancellation(stateTurnedDown, fixture.PendingDate), declared: fixture.WithoutEnd,
		reason: v1alpha1.ReasonInSync,
	}),
	Entry("does not exist, and no call requests one", unsentCase{
		line: noCancellation, declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonCancellationNotRequested, message: "its API has no call that requests one",
	}),
	Entry("was stateAborted, and no call requests another", unsentCase{
		line: fixture.WithCancellation(stateAborted, fixture.PendingDate), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonCancellationNotRequested, message: "ABORTED",
	}),
	Entry("was aborted for the very date that is declared", unsentCase{
		line: fixture.WithCancellation(stateAborted, fixture.WantedDate), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonCancellationNotRequested, message: "ABORTED",
	}),
	Entry("was rejected, and no call requests another", unsentCase{
		line: fixture.WithCancellation(stateTurnedDown, fixture.PendingDate), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonCancellationNotRequested, message: "REJECTED",
	}),
	Entry("has another date and can no longer be altered", unsentCase{
		line: fixture.WithCancellation(stateHandedOver, fixture.PendingDate), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonNotEligibleForCancellation, message: fixture.PendingDate,
	}),
	Entry("is not declared and can no longer be altered", unsentCase{
		line: fixture.WithCancellation(stateHandedOver, fixture.PendingDate), declared: fixture.WithoutEnd,
		reason: v1alpha1.ReasonNotEligibleForCancellation, message: "can no longer be aborted",
	}),
	Entry("is completed with another date before the service is cancelled", unsentCase{
		line: noCancellation, carrier: unalterable(fixture.StateCompleted), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonNotEligibleForCancellation, message: fixture.PendingDate,
	}),
	Entry("is requested and can no longer be altered", unsentCase{
		line: noCancellation, carrier: unalterable(fixture.StateRequested), declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonNotEligibleForCancellation, message: fixture.PendingDate,
	}),
	Entry("has been carried out and is not declared", unsentCase{
		line: fixture.WithCancellation(fixture.StateCompleted, "2026-02-01"), declared: fixture.WithoutEnd,
		reason: v1alpha1.ReasonNotEligibleForCancellation, message: "disconnection: Reclaim",
	}),
	Entry("is to be moved to a day in the past", unsentCase{
		line: fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate), declared: fixture.EndOn("2026-03-01"),
		reason: v1alpha1.ReasonDateInPast, message: "2026-03-01",
	}),
)

// zonedDay is a scenario about which day it is in the carrier's time zone.
type zonedDay struct {
	zone   string
	later  time.Duration // after 2026-03-02T09:00Z
	date   string
	posts  int
	reason string
}

var _ = DescribeTable("A cancellation date is evaluated in the account's time zone",
	func(ctx SpecContext, scenario zonedDay) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.TimeZone = scenario.zone })
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		w.Clock.Advance(scenario.later)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(scenario.date)))).To(Succeed())
		service := process.Drive(ctx, site)
		Expect(world.Ready(service).Reason).To(Equal(scenario.reason), world.Ready(service).Message)
		Expect(fixture.Reschedules(w, line)).To(Equal(scenario.posts))
		if scenario.posts == 0 {
			Expect(world.Ready(service).Message).To(ContainSubstring(scenario.zone))
			expectAtCarrier(w, line, fixture.StateRequested, fixture.PendingDate)
		}
	},
	Entry("the UTC day is sent while Sydney has the same", zonedDay{
		"Australia/Sydney", 0, "2026-03-02", 1, v1alpha1.ReasonCancelled,
	}),
	Entry("the UTC day is in the past once Sydney has the next", zonedDay{
		"Australia/Sydney", 5 * time.Hour, "2026-03-02", 0, v1alpha1.ReasonDateInPast,
	}),
	Entry("the day of Sydney is sent although UTC has not reached it", zonedDay{
		"Australia/Sydney", 5 * time.Hour, "2026-03-03", 1, v1alpha1.ReasonInSync,
	}),
	Entry("the same day is sent for an account in UTC", zonedDay{
		"UTC", 5 * time.Hour, "2026-03-02", 1, v1alpha1.ReasonCancelled,
	}),
	Entry("a day that is over in UTC is sent while Honolulu has it", zonedDay{
		"Pacific/Honolulu", 0, "2026-03-01", 1, v1alpha1.ReasonDateInPast, // the carrier of this world uses UTC
	}),
	Entry("a day that is over in Honolulu is not sent", zonedDay{
		"Pacific/Honolulu", 5 * time.Hour, "2026-03-01", 0, v1alpha1.ReasonDateInPast,
	}),
)

// alterationRefused is a scenario in which the carrier refuses a reschedule or abort.
type alterationRefused struct {
	line     func(*simulator.Service)
	declared fixture.Edit
	fault    simulator.Fault
	reason   string
	code     string // raw
}

var _ = DescribeTable("A cancellation that the carrier refuses to alter",
	func(ctx SpecContext, scenario alterationRefused) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate), fixture.OrNoop(scenario.line))
		if scenario.fault.Kind != "" {
			Expect(w.Carrier.FailNext("POST CancellationReschedule", scenario.fault)).To(Succeed())
		}
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, scenario.declared))).To(Succeed())

		for range 2 {
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, scenario.reason)
			Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
			Expect(world.Ready(service).Message).To(HavePrefix(scenario.code))
			Expect(service.Status.LastError.Code).To(Equal(scenario.code))
			fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionFalse, scenario.reason)
			Expect(fixture.Alterations(w, line)).To(Equal(1))
			w.Clock.Advance(fixture.Horizon)
		}
		retry := fixture.RetryTime(w)
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, retry)
		service := process.Drive(ctx, site)
		Expect(service.Status.Handled.Retry).To(Equal(retry))
		Expect(fixture.Alterations(w, line)).To(Equal(2))
		if scenario.fault.Kind != "" { // the fault was injected once
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
			return
		}
		fixture.ExpectReady(service, metav1.ConditionFalse, scenario.reason)
		process.Drive(ctx, site)
		Expect(fixture.Alterations(w, line)).To(Equal(2))
	},
	Entry("because it is not eligible shows that on a reschedule", alterationRefused{
		line: notCancellable, declared: fixture.EndOn(fixture.WantedDate),
		reason: v1alpha1.ReasonNotEligibleForCancellation, code: codeNotEligible,
	}),
	Entry("because it is not eligible shows that on an abort", alterationRefused{
		line: notCancellable, declared: fixture.WithoutEnd,
		reason: v1alpha1.ReasonNotEligibleForCancellation, code: codeNotEligible,
	}),
	Entry("after it was accepted shows that", alterationRefused{
		declared: fixture.EndOn(fixture.WantedDate), fault: simulator.Fault{Kind: simulator.FaultEndInError},
		reason: v1alpha1.ReasonNotEligibleForCancellation, code: codeNotEligible,
	}),
	Entry("as not requested, although it is shown as requested, is not sent again", alterationRefused{
		declared: fixture.EndOn(fixture.WantedDate), fault: fixture.RefusedWith(codeNotRequested, "status"),
		reason: v1alpha1.ReasonCancellationNotRequested, code: codeNotRequested,
	}),
	Entry("because the date is in the past where it is shows that", alterationRefused{
		declared: fixture.EndOn(fixture.WantedDate), fault: fixture.RefusedWith(codePast, "cancellationDate"),
		reason: v1alpha1.ReasonDateInPast, code: codePast,
	}),
	Entry("because a field is missing shows that", alterationRefused{
		declared: fixture.EndOn(fixture.WantedDate), fault: fixture.RefusedWith("constraints.not.null", "cancellationDate"),
		reason: v1alpha1.ReasonRequiredFieldMissing, code: "constraints.not.null",
	}),
	Entry("for an unknown reason shows its code", alterationRefused{
		declared: fixture.EndOn(fixture.WantedDate), fault: fixture.RefusedWith("constraints.of.the.day", "status"),
		reason: v1alpha1.ReasonCarrierRejected, code: "constraints.of.the.day",
	}),
	Entry("as malformed shows that", alterationRefused{
		declared: fixture.EndOn(fixture.WantedDate), fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 400},
		reason: v1alpha1.ReasonRequestInvalid, code: "validation",
	}),
)

func notCancellable(s *simulator.Service) { s.NotCancellable = true }

var _ = DescribeTable("A cancellation that has changed at the carrier is refused, read again and evaluated again",
	func(
		ctx SpecContext, behind *simulator.Cancellation, declared fixture.Edit, status metav1.ConditionStatus, reason string,
	) {
		w, process, line := fixture.SettledService(ctx, fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
			fixture.WithoutPlan)
		w.Clock.Advance(time.Minute)
		Expect(w.Carrier.SetCancellation(line, behind)).To(Succeed())
		w.Edit(ctx, site, declared)
		readBefore := fmt.Sprintf(`{"serviceId":%d,"status":%q,"requestDate":%q,"requestedOn":%q,`+
			`"cancelled":false,"canAbortCancellation":true,"canRescheduleCancellation":true}`, line, fixture.StateRequested,
			fixture.PendingDate, w.Read(ctx, site).Status.Carrier.Cancellation.RequestedOn)
		fault := simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: readBefore}
		Expect(w.Carrier.FailNext("CancellationRead", fault)).To(Succeed())

		for range 2 {
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, status, reason)
			Expect(service.Status.LastError.Code).To(Equal(codeNotRequested))
			Expect(fixture.Alterations(w, line)).To(Equal(1))
			w.Clock.Advance(fixture.Horizon)
		}
	},
	Entry("as done, when it was aborted and none is declared",
		&simulator.Cancellation{Status: stateAborted, RequestDate: fixture.PendingDate}, fixture.WithoutEnd,
		metav1.ConditionTrue, v1alpha1.ReasonInSync),
	Entry("as done, when there is none and none is declared",
		nil, fixture.WithoutEnd, metav1.ConditionTrue, v1alpha1.ReasonInSync),
	Entry("as done, when it was processed with the declared date",
		&simulator.Cancellation{Status: stateHandedOver, RequestDate: fixture.WantedDate}, fixture.EndOn(fixture.WantedDate),
		metav1.ConditionTrue, v1alpha1.ReasonInSync),
	Entry("as done, when the service is cancelled by now",
		&simulator.Cancellation{Status: fixture.StateCompleted, RequestDate: "2026-03-01"}, fixture.EndOn(fixture.WantedDate),
		metav1.ConditionTrue, v1alpha1.ReasonCancelled),
	Entry("as not stateRequested, when it was aborted",
		&simulator.Cancellation{Status: stateAborted, RequestDate: fixture.PendingDate}, fixture.EndOn(fixture.WantedDate),
		metav1.ConditionFalse, v1alpha1.ReasonCancellationNotRequested),
	Entry("as not stateRequested, when there is none",
		nil, fixture.EndOn(fixture.WantedDate), metav1.ConditionFalse, v1alpha1.ReasonCancellationNotRequested),
	Entry("as not eligible, when it was processed with another date",
		&simulator.Cancellation{Status: stateHandedOver, RequestDate: fixture.PendingDate}, fixture.EndOn(fixture.WantedDate),
		metav1.ConditionFalse, v1alpha1.ReasonNotEligibleForCancellation),
	Entry("as not eligible, when it was processed and none is declared",
		&simulator.Cancellation{Status: stateHandedOver, RequestDate: fixture.PendingDate}, fixture.WithoutEnd,
		metav1.ConditionFalse, v1alpha1.ReasonNotEligibleForCancellation),
)

var _ = It("A cancellation of a service that the carrier hides is tried again ten minutes later",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		unseen := simulator.Fault{Kind: simulator.FaultStatus, Status: 404}
		Expect(w.Carrier.FailNext("POST CancellationReschedule", unseen)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		service := untilAltered(ctx, w, process, line)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		refusedAt := service.RequestOf(v1alpha1.OperationCancellationReschedule).FinishedAt

		service = process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		again := service.Status.History[0].SubmittedAt
		Expect(again.Sub(refusedAt.Time)).To(BeNumerically(">=", 10*time.Minute))
		Expect(fixture.Reschedules(w, line)).To(Equal(2))
	})

var _ = It("A cancellation reported as not requested after its acceptance is read again before that counts",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		untilAltered(ctx, w, process, line)
		Expect(w.Carrier.FailNext("CancellationRead", fixture.RefusedWith(codeNotRequested, "status"))).To(Succeed())

		service := process.Drive(ctx, site)

		Expect(w.Carrier.Armed()).To(BeZero())
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync) // it is as declared already
		expectAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	})
