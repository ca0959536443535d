// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// cancellationCalls are the calls about a service's cancellation, abbreviated: P for a POST that
// alters it, r for a read.
func cancellationCalls(w *world.World) string {
	var calls strings.Builder
	for _, call := range w.Carrier.Calls() {
		if call.Operation == simulator.OpCancellationReschedule || call.Operation == simulator.OpCancellationAbort {
			calls.WriteString("P")
		}
		if call.Operation == simulator.OpCancellationRead {
			calls.WriteString("r")
		}
	}
	return calls.String()
}

// alterationLost is a scenario in which the response to a POST is lost.
type alterationLost struct {
	declared fixture.Edit
	fault    simulator.Fault
	calls    string
	repeats  int32
}

var _ = DescribeTable("A reschedule or abort whose response is lost",
	func(ctx SpecContext, scenario alterationLost) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Carrier.FailNext("POST CancellationReschedule", scenario.fault)).To(Succeed())
		Expect(w.Carrier.FailNext("POST CancellationAbort", scenario.fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, scenario.declared))).To(Succeed())

		lost := untilAltered(ctx, w, process, line)
		fixture.ExpectReady(lost, metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		Expect(world.Ready(lost).Message).To(ContainSubstring(v1alpha1.AnnotationResolve))
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Requests).To(HaveLen(1))
		request := service.Status.Requests[0]
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(request.Repeats).To(Equal(scenario.repeats))
		Expect(request.Attempt).To(Equal(scenario.repeats + 1))
		Expect(cancellationCalls(w)).To(MatchRegexp(scenario.calls))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring("Warning ResponseLost")))
	},
	Entry("after a reschedule was processed is proven by one read", alterationLost{
		declared: fixture.EndOn(fixture.WantedDate), fault: simulator.Fault{Kind: simulator.FaultReset, Processed: true},
		calls: "^rPr$",
	}),
	Entry("after an abort was processed is proven by one read", alterationLost{
		declared: fixture.WithoutEnd, fault: simulator.Fault{Kind: simulator.FaultReset, Processed: true}, calls: "^rPr$",
	}),
	Entry("by a 502 after it was processed is proven by one read", alterationLost{
		declared: fixture.EndOn(fixture.WantedDate), calls: "^rPr$",
		fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true},
	}),
	Entry("by a gateway's page after it was processed is proven by one read", alterationLost{
		declared: fixture.WithoutEnd, fault: simulator.Fault{Kind: simulator.FaultPage, Status: 503, Processed: true},
		calls: "^rPr$",
	}),
	Entry("before a reschedule was processed is read and repeated", alterationLost{
		declared: fixture.EndOn(fixture.WantedDate), fault: simulator.Fault{Kind: simulator.FaultReset}, calls: "^rPrPr+$",
		repeats: 1,
	}),
	Entry("before an abort was processed is read and repeated", alterationLost{
		declared: fixture.WithoutEnd, fault: simulator.Fault{Kind: simulator.FaultReset}, calls: "^rPrPr+$", repeats: 1,
	}),
	Entry("twice by a 502 is read and repeated twice", alterationLost{
		declared: fixture.EndOn(fixture.WantedDate), calls: "^rPrPrPr+$", repeats: 2,
		fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Times: 2},
	}),
	Entry("by a redirect, which is not followed, is read and repeated", alterationLost{
		declared: fixture.WithoutEnd, fault: simulator.Fault{Kind: simulator.FaultRedirect}, calls: "^rPrPr+$", repeats: 1,
	}),
)

var _ = DescribeTable("An accepted reschedule is polled by its service id, whatever the Location",
	func(ctx SpecContext, fault simulator.Fault) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Carrier.FailNext("POST CancellationReschedule", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Reschedules(w, line)).To(Equal(1))
	},
	Entry("that is missing", simulator.Fault{Kind: simulator.FaultNoLocation}),
	Entry("that names another service", simulator.Fault{
		Kind: simulator.FaultLocation, Location: "/api/connect/services/service-cancellations/requests/1",
	}),
)

var _ = Describe("A reschedule of unknown outcome", func() {
	const target = "POST CancellationReschedule"
	lose := func(ctx SpecContext, fault simulator.Fault) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Carrier.FailNext(target, fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		return w, process, line
	}
	loseAll := func(ctx SpecContext) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		return lose(ctx, simulator.Fault{Kind: simulator.FaultReset, Times: 3}) // as often as it is sent
	}

	It("by a timeout after it was processed is proven by one read", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if strings.HasPrefix(effect.What, http.MethodPost) && strings.HasSuffix(effect.What, "/reschedule") {
				return os.ErrDeadlineExceeded
			}
			return nil
		}
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Reschedules(w, line)).To(Equal(1))
	})

	DescribeTable("waits for a person after two repeats, and is not sent a fourth time",
		func(ctx SpecContext, outcome string, truth *simulator.Cancellation, posts int, reason string) {
			w, process, line := loseAll(ctx)
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			open := service.OpenCancellation()
			Expect(open.Repeats).To(Equal(int32(2)))
			Expect(cancellationCalls(w)).To(Equal("rPrPrPr"))
			Expect(w.Events.All()).To(ContainElement(ContainSubstring("Warning OutcomeUnknown")))
			fixture.ExpectReady(readAgain(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(fixture.Reschedules(w, line)).To(Equal(3))

			Expect(w.Carrier.SetCancellation(line, truth)).To(Succeed())
			word := open.AttemptID + "=" + outcome
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, word)
			service = process.Drive(ctx, site)
			Expect(service.Status.Handled.Resolve).To(Equal(word))
			Expect(world.Ready(service).Reason).To(Equal(reason), world.Ready(service).Message)
			Expect(fixture.Reschedules(w, line)).To(Equal(posts))
		},
		Entry("NotAccepted sends it again", "NotAccepted", cancellationAs(fixture.StateRequested, fixture.PendingDate),
			4, v1alpha1.ReasonInSync),
		Entry("Succeeded is read again", "Succeeded", cancellationAs(fixture.StateRequested, fixture.WantedDate),
			3, v1alpha1.ReasonInSync),
		Entry("Abandoned waits for another edit", "Abandoned", cancellationAs(fixture.StateRequested, fixture.PendingDate),
			3, v1alpha1.ReasonAbandoned),
	)

	It("is not resolved with a request number, which could be the number of another service", func(ctx SpecContext) {
		w, process, line := loseAll(ctx)
		other := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		open := process.Drive(ctx, site).OpenCancellation()
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, open.AttemptID+"=Accepted:"+strconv.FormatInt(other, 10))
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(world.Ready(service).Message).To(HaveSuffix(
			"the carrier gives CancellationReschedule no request id: state NotAccepted, Succeeded or Abandoned"))
		Expect(cancellationCalls(w)).To(Equal("rPrPrPr"), "nothing is read")
		Expect(fixture.Reschedules(w, line)).To(Equal(3))
	})

	It("is settled by a later read that shows the declared state", func(ctx SpecContext) {
		w, process, line := loseAll(ctx)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.WantedDate)
		fixture.ExpectReady(readAgain(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Reschedules(w, line)).To(Equal(3))
	})

	It("blocks every modification until it is settled", func(ctx SpecContext) {
		w, process, line := loseAll(ctx)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		w.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Posts(line)).To(BeZero())
	})

	DescribeTable("is Stalled whatever else waits",
		func(ctx SpecContext, hold fixture.Edit) {
			w, process, _ := loseAll(ctx)
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			w.Edit(ctx, site, hold)
			w.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		},
		Entry("under Observe", fixture.UnderManagement(v1alpha1.ManagementObserve)),
		Entry("while suspended", func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true }),
	)

	DescribeTable("is abandoned when another cancellation has been requested since, and compared again",
		func(ctx SpecContext, since *simulator.Cancellation, posts int, phase v1alpha1.RequestPhase, reason string) {
			w, process, line := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
			untilAltered(ctx, w, process, line)
			w.Clock.Advance(5 * time.Second) // before it is read
			Expect(w.Carrier.SetCancellation(line, since)).To(Succeed())
			service := process.Drive(ctx, site)
			Expect(world.Ready(service).Reason).To(Equal(reason), world.Ready(service).Message)
			Expect(fixture.Reschedules(w, line)).To(Equal(posts))
			Expect(service.RequestOf(v1alpha1.OperationCancellationReschedule).Repeats).To(BeZero())
			Expect(service.Status.History).To(ContainElement(HaveField("Outcome", phase)))
		},
		Entry("which has another date", cancellationAs(fixture.StateRequested, fixture.OtherDate), 2,
			v1alpha1.PhaseAbandoned, v1alpha1.ReasonInSync),
		Entry("which was processed with another date", cancellationAs(stateHandedOver, fixture.OtherDate), 1,
			v1alpha1.PhaseAbandoned, v1alpha1.ReasonNotEligibleForCancellation),
		Entry("and withdrawn", nil, 1, v1alpha1.PhaseAbandoned, v1alpha1.ReasonCancellationNotRequested),
		Entry("unless that has the wanted date", cancellationAs(fixture.StateRequested, fixture.WantedDate), 1,
			v1alpha1.PhaseSucceeded, v1alpha1.ReasonInSync),
	)

	DescribeTable("is not repeated while",
		func(ctx SpecContext, hold fixture.Edit, reason string) {
			w, process, line := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
			untilAltered(ctx, w, process, line)
			w.Edit(ctx, site, hold)
			Expect(world.Ready(process.Drive(ctx, site)).Reason).To(Equal(reason))
			Expect(fixture.Reschedules(w, line)).To(Equal(1))
			w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) {
				s.Spec.Suspend, s.Spec.ManagementPolicy = false, v1alpha1.ManagementManage
			})
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(fixture.Reschedules(w, line)).To(Equal(2))
		},
		Entry("the service is suspended",
			func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true }, v1alpha1.ReasonSuspended),
		Entry("managementPolicy is Plan", fixture.UnderManagement(v1alpha1.ManagementPlan), v1alpha1.ReasonPlanned),
		Entry("managementPolicy is Observe", fixture.UnderManagement(v1alpha1.ManagementObserve), v1alpha1.ReasonObserving),
	)

	It("is remembered when its object is deleted and applied again", func(ctx SpecContext) {
		w, process, line := lose(ctx, simulator.Fault{Kind: simulator.FaultReset, Processed: true})
		attempt := untilAltered(ctx, w, process, line).OpenCancellation().AttemptID
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		request := service.RequestOf(v1alpha1.OperationCancellationReschedule)
		Expect(request.AttemptID).To(Equal(attempt))
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(fixture.Reschedules(w, line)).To(Equal(1))
	})

	It("is not repeated once another date is declared, which is sent instead (R33)", func(ctx SpecContext) {
		w, process, line := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
		untilAltered(ctx, w, process, line)
		w.Edit(ctx, site, fixture.EndOn(fixture.OtherDate))
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		Expect(fixture.Reschedules(w, line)).To(Equal(2))
		Expect(service.Status.History).To(ContainElement(HaveField("Outcome", v1alpha1.PhaseAbandoned)))
	})

	It("does not count a repeat that was not processed", func(ctx SpecContext) {
		w, process, line := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
		busy := simulator.Fault{Kind: simulator.FaultStatus, Status: 429, RetryAfter: "60"}
		Expect(w.Carrier.FailNext(target, busy)).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationCancellationReschedule).Repeats).To(Equal(int32(1)))
		Expect(fixture.Reschedules(w, line)).To(Equal(3))
	})

	It("is read again when its repeat is refused: the first may have succeeded", func(ctx SpecContext) {
		w, process, line := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
		Expect(w.Carrier.FailNext(target, fixture.RefusedWith(codeNotRequested, "status"))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(cancellationCalls(w)).To(MatchRegexp("^rPrPrPr+$"))
		Expect(fixture.Reschedules(w, line)).To(Equal(3))
	})
})

var _ = DescribeTable("An abort whose response was lost is not sent again once (R33)",
	func(ctx SpecContext, change func(SpecContext, *world.World, *world.Process), reason string) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Carrier.FailNext("POST CancellationAbort", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.WithoutEnd))).To(Succeed())
		untilAltered(ctx, w, process, line)

		change(ctx, w, process)

		service := process.Drive(ctx, site)
		Expect(world.Ready(service).Reason).To(Equal(reason), world.Ready(service).Message)
		Expect(service.Status.History).To(ContainElement(HaveField("Outcome", v1alpha1.PhaseAbandoned)))
		w.Clock.Advance(fixture.Horizon)
		process.Drive(ctx, site)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
		expectAtCarrier(w, line, fixture.StateRequested, fixture.PendingDate)
	},
	Entry("the spec declares no cancellation any more", func(ctx SpecContext, w *world.World, _ *world.Process) {
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.Cancellation = nil })
	}, v1alpha1.ReasonInSync),
	Entry("its object was replaced by one that declares none", func(
		ctx SpecContext, w *world.World, process *world.Process,
	) {
		line := w.Read(ctx, site).ServiceNumber().Number()
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan))).To(Succeed())
	}, v1alpha1.ReasonInSync),
	Entry("the account requires an approval", func(ctx SpecContext, w *world.World, process *world.Process) {
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		Expect(process.ReconcileAccount(ctx)).Error().NotTo(HaveOccurred())
	}, v1alpha1.ReasonAbandoned),
)
