// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	disconnectedOn = "2026-02-20"
	reclaimableTo  = "2026-04-01"

	codeNotReclaimable = "constraints.service.not.eligible.for.reclaims"
	codeReclaimFailed  = "constraints.service.reclaim.request.status.in.error"
)

// disconnectedLine makes a service of the simulated carrier disconnected, and reclaimable until a
// day.
func disconnectedLine(until string) func(*simulator.Service) {
	return func(s *simulator.Service) {
		s.Cancellation = &simulator.Cancellation{Status: stateCompleted, RequestDate: disconnectedOn}
		s.ReclaimableUntil = until
	}
}

// reclaiming declares that a disconnected service is to be reclaimed.
func reclaiming(s *v1alpha1.BroadbandService) { s.Spec.Disconnection = v1alpha1.DisconnectionReclaim }

// reporting declares that a disconnection is only reported.
func reporting(s *v1alpha1.BroadbandService) { s.Spec.Disconnection = v1alpha1.DisconnectionReport }

func reclaims(w *world.World, line int64) int {
	return w.Carrier.Submissions(simulator.OpReclaim, line).Seen
}

// modifyingPosts are the POSTs that modify services, in order, with operation and time.
func modifyingPosts(w *world.World) (operations []simulator.Operation, times []time.Time) {
	modifying := []simulator.Operation{simulator.OpReclaim, simulator.OpPlanChange, simulator.OpAggregationConversion}
	for _, call := range w.Carrier.Calls() {
		if call.Method == http.MethodPost && slices.Contains(modifying, call.Operation) {
			operations, times = append(operations, call.Operation), append(times, call.Time)
		}
	}
	return operations, times
}

var _ = Describe("A disconnected service", func() {
	reclaim := func(
		ctx SpecContext, until string, faults []simulator.Fault, edits ...edit,
	) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		w, process := begin(ctx)
		line := w.Line(disconnectedLine(until))
		for _, fault := range faults {
			Expect(w.Carrier.FailNext("Reclaim", fault)).To(Succeed())
		}
		edits = append([]edit{withoutPlan, reclaiming}, edits...)
		Expect(w.Create(ctx, w.Service(site, line, edits...))).To(Succeed())
		return w, process, line
	}

	It("is shown and not reclaimed if that is declared", func(ctx SpecContext) {
		w, process, line := settledService(ctx,
			withCancellation(stateRequested, "2026-03-05"), withPlan(world.PlanSlow, 12), reporting)
		expectAspect(w.Read(ctx, site), v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		w.Clock.Advance(4 * 24 * time.Hour)
		service := readAgain(ctx, w, process)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
		Expect(condition(service, v1alpha1.ConditionConnected).Message).To(ContainSubstring("2026-03-05"))
		Expect(reclaims(w, line) + w.Posts(line)).To(BeZero())
	})

	It("is reclaimed by one request, which is polled, and read again", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, nil)
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		Expect(service.Status.Carrier.Cancellation).To(HaveValue(And(
			HaveField("Cancelled", false), HaveField("Status", ""), HaveField("PendingDate", ""))))
		request := service.RequestOf(v1alpha1.OperationReclaim)
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(recorded(ctx, service, v1alpha1.OperationReclaim).CarrierStatus).To(Equal(stateCompleted))
		Expect(request.Location).To(HavePrefix("/api/connect/services/reclaims/requests/"))
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Normal ServiceReclaimActivated")))
		calls := w.Carrier.Calls()
		Expect(calls[len(calls)-1].Operation).To(Equal(simulator.OpCancellationRead))
		sold, _ := w.Carrier.Service(line)
		Expect(sold.Cancellation).To(BeNil())
		w.Clock.Advance(horizon)
		process.Drive(ctx, site)
		Expect(reclaims(w, line)).To(Equal(1))
	})

	DescribeTable("that cannot be reclaimed reports why, and no further request is sent",
		func(ctx SpecContext, until string, faults []simulator.Fault, reason, code string) {
			w, process, line := reclaim(ctx, until, faults)
			for range 2 {
				service := process.Drive(ctx, site)
				expectReady(service, metav1.ConditionFalse, reason)
				Expect(condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
				Expect(world.Ready(service).Message).To(HavePrefix(code))
				Expect(service.Status.LastError.Code).To(Equal(code))
				expectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, reason)
				Expect(reclaims(w, line)).To(Equal(1))
				w.Clock.Advance(horizon)
			}
			failed := w.Read(ctx, site).RequestOf(v1alpha1.OperationReclaim).AttemptID
			w.Annotate(ctx, site, v1alpha1.AnnotationRetry, failed)
			Expect(process.Drive(ctx, site).Status.Handled.Retry).To(Equal(failed))
			Expect(reclaims(w, line)).To(Equal(2))
		},
		Entry("when its disconnection is not reversible", "", nil,
			v1alpha1.ReasonNotEligibleForReclaim, codeNotReclaimable),
		Entry("when the last day has passed", "2026-03-01", nil,
			v1alpha1.ReasonNotEligibleForReclaim, codeNotReclaimable),
		Entry("when the request ends in error", reclaimableTo, []simulator.Fault{{Kind: simulator.FaultEndInError}},
			v1alpha1.ReasonReclaimFailed, codeReclaimFailed),
	)

	It("whose reclaim has a lost response repeats it after fifteen minutes, and reports that", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset}})
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		request := service.RequestOf(v1alpha1.OperationReclaim)
		Expect(request.Attempt).To(Equal(int32(2)))
		Expect(request.Repeats).To(Equal(int32(1)))
		Expect(reclaims(w, line)).To(Equal(2))
		_, times := modifyingPosts(w)
		Expect(times[1].Sub(times[0])).To(BeNumerically(">=", 15*time.Minute))
	})

	It("whose reclaim has three lost responses waits for a person, and is not sent a fourth time", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset, Times: 5}})
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(service.OpenRequest().Repeats).To(Equal(int32(2)))
		Expect(reclaims(w, line)).To(Equal(3))
		w.Clock.Advance(horizon)
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(reclaims(w, line)).To(Equal(3))
	})

	It("that is refused on a repeat waits for a person: the first may have succeeded", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, []simulator.Fault{
			{Kind: simulator.FaultReset}, refusedWith(codeNotReclaimable, "serviceId"),
		})
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(reclaims(w, line)).To(Equal(2))
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"=NotAccepted")
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Carrier.Submissions(simulator.OpReclaim, line)).To(Equal(simulator.Count{Seen: 3, Processed: 1}))
	})

	It("whose reclaim was processed although its response was lost is not reclaimed again (R33)", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset, Processed: true}})
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		Expect(service.RequestOf(v1alpha1.OperationReclaim).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(reclaims(w, line)).To(Equal(1))
	})

	DescribeTable("whose reclaim has a lost response is not reclaimed once (R33)",
		func(ctx SpecContext, change func(SpecContext, *world.World, *world.Process), reason string) {
			w, process, line := reclaim(ctx, reclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset}})
			for reclaims(w, line) == 0 {
				result, err := process.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(result.RequeueAfter)
			}
			change(ctx, w, process)

			service := process.Drive(ctx, site)

			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(world.Ready(service).Message).To(ContainSubstring("it is not sent again, because it"))
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"=NotAccepted")
			service = process.Drive(ctx, site)
			Expect(world.Ready(service).Reason).To(Equal(reason), world.Ready(service).Message)
			Expect(reclaims(w, line)).To(Equal(1))
		},
		Entry("the disconnection is only to be reported", func(ctx SpecContext, w *world.World, _ *world.Process) {
			w.Edit(ctx, site, reporting)
		}, v1alpha1.ReasonInSync),
		Entry("the account requires an approval", func(ctx SpecContext, w *world.World, process *world.Process) {
			editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
			Expect(process.ReconcileAccount(ctx)).Error().NotTo(HaveOccurred())
		}, v1alpha1.ReasonAwaitingApproval),
	)

	It("is modified otherwise once it is reclaimed", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, nil, withPlan(world.PlanFast, 12), withEthernet)
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		operations, times := modifyingPosts(w)
		Expect(operations).To(HaveExactElements(
			simulator.OpReclaim, simulator.OpPlanChange, simulator.OpAggregationConversion))
		reclaimedAt := service.RequestOf(v1alpha1.OperationReclaim).FinishedAt
		Expect(times[1]).To(BeTemporally(">=", reclaimedAt.Time))
		sold, _ := w.Carrier.Service(line)
		Expect(sold.Plan + " " + sold.AggregationMethod).To(Equal(world.PlanFast + " ETHERNET"))
	})

	It("whose cancellation is to be aborted is reclaimed, because it was carried out", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, nil, withoutEnd)
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{reclaims(w, line), alterations(w, line)}).To(Equal([]int{1, 0}))
	})

	It("that is disconnected again after a reclaim is not reclaimed in a loop", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, reclaimableTo, nil)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		moveAtCarrier(w, line, stateCompleted, "2026-03-01")
		service := readAgain(ctx, w, process)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
		Expect(reclaims(w, line)).To(Equal(1))
		Expect(world.Ready(service).Message).To(ContainSubstring("to reclaim the service once more, run: kubectl"))
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, service.RequestOf(v1alpha1.OperationReclaim).AttemptID)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(reclaims(w, line)).To(Equal(2))
	})

	DescribeTable("is not changed unless it is to be reclaimed",
		func(ctx SpecContext, edits ...edit) {
			w, process := begin(ctx)
			line := w.Line(disconnectedLine(reclaimableTo))
			Expect(w.Create(ctx, w.Service(site, line, edits...))).To(Succeed())
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
			Expect(condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
			operations, _ := modifyingPosts(w)
			Expect(operations).To(BeEmpty())

			w.Edit(ctx, site, reclaiming)
			expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			operations, _ = modifyingPosts(w)
			Expect(operations).To(And(HaveLen(2), ContainElement(simulator.OpReclaim)))
			Expect(operations[0]).To(Equal(simulator.OpReclaim))
		},
		Entry("of its plan, if the disconnection is reported", reporting),
		Entry("of its plan, if spec.disconnection is not set"),
		Entry("of its aggregation method, if the disconnection is reported", reporting, withoutPlan, withEthernet),
		Entry("of its aggregation method, if spec.disconnection is not set", withoutPlan, withEthernet),
	)
})

var _ = DescribeTable("A reclaim that may not be sent yet",
	func(ctx SpecContext, scenario blockedChange) {
		w, process := begin(ctx)
		line := w.Line(disconnectedLine(reclaimableTo))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, reclaiming, scenario.service))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, scenario.status, scenario.reason)
		expectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, scenario.reason)
		Expect(reclaims(w, line)).To(BeZero())
		if scenario.release != nil {
			w.Edit(ctx, site, scenario.release)
		} else {
			w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		}
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(reclaims(w, line)).To(Equal(1))
	},
	Entry("waits while the service is suspended", blockedChange{
		service: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true },
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonSuspended,
		release: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = false },
	}),
	Entry("is only shown under managementPolicy Plan", blockedChange{
		service: underManagement(v1alpha1.ManagementPlan), release: underManagement(v1alpha1.ManagementManage),
		status: metav1.ConditionFalse, reason: v1alpha1.ReasonPlanned,
	}),
	Entry("is left alone under managementPolicy Observe", blockedChange{
		service: underManagement(v1alpha1.ManagementObserve), release: underManagement(v1alpha1.ManagementManage),
		status: metav1.ConditionTrue, reason: v1alpha1.ReasonObserving,
	}),
	Entry("waits for approval if chargeable changes need one, because it has no quoted price", blockedChange{
		service: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalOnCost },
		status:  metav1.ConditionFalse, reason: v1alpha1.ReasonAwaitingApproval,
	}),
)

var _ = Describe("An operator that is killed between any two effects of a reclaim", func() {
	tell := func(ctx context.Context, cut world.CrashPoint) (*world.World, *world.Process, int64) {
		w := world.New(ctx, plane)
		w.Login(ctx)
		line := w.Line(disconnectedLine(reclaimableTo))
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, reclaiming))).To(Succeed())
		process := w.Start(cut)
		if _, err := process.ReconcileAccount(ctx); err == nil {
			process.Drive(ctx, site)
		}
		return w, process, line
	}

	It("reclaims the service once, or reports an unknown outcome", func(ctx SpecContext) {
		_, whole, _ := tell(ctx, world.CrashPoint{})
		unknown := 0
		for _, cut := range world.CrashPoints(whole.Seam.Effects()) {
			By("killing it " + cut.String())
			w, _, line := tell(ctx, cut)
			successor := w.Start(world.CrashPoint{})
			_, err := successor.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			service := successor.Drive(ctx, site)
			request := service.RequestOf(v1alpha1.OperationReclaim)
			Expect(reclaims(w, line)).To(BeNumerically("<=", 1+int(request.Repeats)))
			if world.Ready(service).Reason == v1alpha1.ReasonOutcomeUnknown {
				unknown++
				w.Annotate(ctx, site, v1alpha1.AnnotationResolve, request.AttemptID+"=Succeeded")
				service = successor.Drive(ctx, site)
			}
			expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			expectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
			Expect(w.Carrier.Submissions(simulator.OpReclaim, line).Processed).To(Equal(1))
		}
		AddReportEntry("kill points of a reclaim that ended OutcomeUnknown", unknown)
	})
})
