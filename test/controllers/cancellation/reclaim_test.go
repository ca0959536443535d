// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"context"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	codeNotReclaimable = "constraints.service.not.eligible.for.reclaims"
	codeReclaimFailed  = "constraints.service.reclaim.request.status.in.error"
)

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
		ctx SpecContext, until string, faults []simulator.Fault, edits ...fixture.Edit,
	) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.DisconnectedLine(until))
		for _, fault := range faults {
			Expect(w.Carrier.FailNext("Reclaim", fault)).To(Succeed())
		}
		edits = append([]fixture.Edit{fixture.WithoutPlan, fixture.Reclaiming}, edits...)
		Expect(w.Create(ctx, w.Service(site, line, edits...))).To(Succeed())
		return w, process, line
	}

	It("is shown and not reclaimed if that is declared", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx,
			fixture.WithCancellation(fixture.StateRequested, "2026-03-05"), fixture.WithPlan(world.PlanSlow, 12),
			fixture.Reporting)
		fixture.ExpectAspect(w.Read(ctx, site), v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		w.Clock.Advance(4 * 24 * time.Hour)
		service := readAgain(ctx, w, process)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
		Expect(fixture.Condition(service, v1alpha1.ConditionConnected).Message).To(ContainSubstring("2026-03-05"))
		Expect(fixture.Reclaims(w, line) + w.Posts(line)).To(BeZero())
	})

	It("is reclaimed by one request, which is polled, and read again", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, nil)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		Expect(service.Status.Carrier.Cancellation).To(HaveValue(And(
			HaveField("Cancelled", false), HaveField("Status", ""), HaveField("PendingDate", ""))))
		request := service.RequestOf(v1alpha1.OperationReclaim)
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(fixture.Recorded(ctx, service, v1alpha1.OperationReclaim).CarrierStatus).To(Equal(fixture.StateCompleted))
		Expect(request.Location).To(HavePrefix("/api/connect/services/reclaims/requests/"))
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Normal ServiceReclaimActivated")))
		calls := w.Carrier.Calls()
		Expect(calls[len(calls)-1].Operation).To(Equal(simulator.OpCancellationRead))
		sold, _ := w.Carrier.Service(line)
		Expect(sold.Cancellation).To(BeNil())
		w.Clock.Advance(fixture.Horizon)
		process.Drive(ctx, site)
		Expect(fixture.Reclaims(w, line)).To(Equal(1))
	})

	DescribeTable("that cannot be reclaimed reports why, and no further request is sent",
		func(ctx SpecContext, until string, faults []simulator.Fault, reason, code string) {
			w, process, line := reclaim(ctx, until, faults)
			for range 2 {
				service := process.Drive(ctx, site)
				fixture.ExpectReady(service, metav1.ConditionFalse, reason)
				Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
				Expect(world.Ready(service).Message).To(HavePrefix(code))
				Expect(service.Status.LastError.Code).To(Equal(code))
				fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, reason)
				Expect(fixture.Reclaims(w, line)).To(Equal(1))
				w.Clock.Advance(fixture.Horizon)
			}
			failed := w.Read(ctx, site).RequestOf(v1alpha1.OperationReclaim).AttemptID
			w.Annotate(ctx, site, v1alpha1.AnnotationRetry, failed)
			Expect(process.Drive(ctx, site).Status.Handled.Retry).To(Equal(failed))
			Expect(fixture.Reclaims(w, line)).To(Equal(2))
		},
		Entry("when its disconnection is not reversible", "", nil,
			v1alpha1.ReasonNotEligibleForReclaim, codeNotReclaimable),
		Entry("when the last day has passed", "2026-03-01", nil,
			v1alpha1.ReasonNotEligibleForReclaim, codeNotReclaimable),
		Entry("when the request ends in error", fixture.ReclaimableTo, []simulator.Fault{{Kind: simulator.FaultEndInError}},
			v1alpha1.ReasonReclaimFailed, codeReclaimFailed),
	)

	It("whose reclaim has a lost response repeats it after fifteen minutes, and reports that", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset}})
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		request := service.RequestOf(v1alpha1.OperationReclaim)
		Expect(request.Attempt).To(Equal(int32(2)))
		Expect(request.Repeats).To(Equal(int32(1)))
		Expect(fixture.Reclaims(w, line)).To(Equal(2))
		_, times := modifyingPosts(w)
		Expect(times[1].Sub(times[0])).To(BeNumerically(">=", 15*time.Minute))
	})

	It("whose reclaim has three lost responses waits for a person, and is not sent a fourth time", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset, Times: 5}})
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(service.OpenRequest().Repeats).To(Equal(int32(2)))
		Expect(fixture.Reclaims(w, line)).To(Equal(3))
		w.Clock.Advance(fixture.Horizon)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.Reclaims(w, line)).To(Equal(3))
	})

	It("that is refused on a repeat waits for a person: the first may have succeeded", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, []simulator.Fault{
			{Kind: simulator.FaultReset}, fixture.RefusedWith(codeNotReclaimable, "serviceId"),
		})
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.Reclaims(w, line)).To(Equal(2))
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"=NotAccepted")
		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Carrier.Submissions(simulator.OpReclaim, line)).To(Equal(simulator.Count{Seen: 3, Processed: 1}))
	})

	It("whose reclaim was processed although its response was lost is not reclaimed again (R33)", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo,
			[]simulator.Fault{{Kind: simulator.FaultReset, Processed: true}})
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
		Expect(service.RequestOf(v1alpha1.OperationReclaim).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(fixture.Reclaims(w, line)).To(Equal(1))
	})

	DescribeTable("whose reclaim has a lost response is not reclaimed once (R33)",
		func(ctx SpecContext, change func(SpecContext, *world.World, *world.Process), reason string) {
			w, process, line := reclaim(ctx, fixture.ReclaimableTo, []simulator.Fault{{Kind: simulator.FaultReset}})
			for fixture.Reclaims(w, line) == 0 {
				result, err := process.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(result.RequeueAfter)
			}
			change(ctx, w, process)

			service := process.Drive(ctx, site)

			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(world.Ready(service).Message).To(ContainSubstring("it is not sent again, because it"))
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"=NotAccepted")
			service = process.Drive(ctx, site)
			Expect(world.Ready(service).Reason).To(Equal(reason), world.Ready(service).Message)
			Expect(fixture.Reclaims(w, line)).To(Equal(1))
		},
		Entry("the disconnection is only to be reported", func(ctx SpecContext, w *world.World, _ *world.Process) {
			w.Edit(ctx, site, fixture.Reporting)
		}, v1alpha1.ReasonInSync),
		Entry("the account requires an approval", func(ctx SpecContext, w *world.World, process *world.Process) {
			fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
			Expect(process.ReconcileAccount(ctx)).Error().NotTo(HaveOccurred())
		}, v1alpha1.ReasonAwaitingApproval),
	)

	It("is modified otherwise once it is reclaimed", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, nil, fixture.WithPlan(world.PlanFast, 12),
			fixture.WithEthernet)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		operations, times := modifyingPosts(w)
		Expect(operations).To(HaveExactElements(
			simulator.OpReclaim, simulator.OpPlanChange, simulator.OpAggregationConversion))
		reclaimedAt := service.RequestOf(v1alpha1.OperationReclaim).FinishedAt
		Expect(times[1]).To(BeTemporally(">=", reclaimedAt.Time))
		sold, _ := w.Carrier.Service(line)
		Expect(sold.Plan + " " + sold.AggregationMethod).To(Equal(world.PlanFast + " ETHERNET"))
	})

	It("whose cancellation is to be aborted is reclaimed, because it was carried out", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, nil, fixture.WithoutEnd)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectAspect(service, v1alpha1.ConditionCancellationSynced, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect([]int{fixture.Reclaims(w, line), fixture.Alterations(w, line)}).To(Equal([]int{1, 0}))
	})

	It("that is disconnected again after a reclaim is not reclaimed in a loop", func(ctx SpecContext) {
		w, process, line := reclaim(ctx, fixture.ReclaimableTo, nil)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.MoveAtCarrier(w, line, fixture.StateCompleted, "2026-03-01")
		service := readAgain(ctx, w, process)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
		Expect(fixture.Reclaims(w, line)).To(Equal(1))
		Expect(world.Ready(service).Message).To(ContainSubstring("to reclaim the service once more, run: kubectl"))
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, service.RequestOf(v1alpha1.OperationReclaim).AttemptID)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Reclaims(w, line)).To(Equal(2))
	})

	DescribeTable("is not changed unless it is to be reclaimed",
		func(ctx SpecContext, edits ...fixture.Edit) {
			w, process := fixture.Begin(ctx)
			line := w.Line(fixture.DisconnectedLine(fixture.ReclaimableTo))
			Expect(w.Create(ctx, w.Service(site, line, edits...))).To(Succeed())
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
			Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
			operations, _ := modifyingPosts(w)
			Expect(operations).To(BeEmpty())

			w.Edit(ctx, site, fixture.Reclaiming)
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			operations, _ = modifyingPosts(w)
			Expect(operations).To(And(HaveLen(2), ContainElement(simulator.OpReclaim)))
			Expect(operations[0]).To(Equal(simulator.OpReclaim))
		},
		Entry("of its plan, if the disconnection is reported", fixture.Reporting),
		Entry("of its plan, if spec.disconnection is not set"),
		Entry("of its aggregation method, if the disconnection is reported", fixture.Reporting, fixture.WithoutPlan,
			fixture.WithEthernet),
		Entry("of its aggregation method, if spec.disconnection is not set", fixture.WithoutPlan, fixture.WithEthernet),
	)
})

var _ = DescribeTable("A reclaim that may not be sent yet",
	func(ctx SpecContext, scenario fixture.BlockedChange) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.DisconnectedLine(fixture.ReclaimableTo))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.Reclaiming, scenario.Service))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, scenario.Status, scenario.Reason)
		fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionFalse, scenario.Reason)
		Expect(fixture.Reclaims(w, line)).To(BeZero())
		if scenario.Release != nil {
			w.Edit(ctx, site, scenario.Release)
		} else {
			w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		}
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Reclaims(w, line)).To(Equal(1))
	},
	Entry("waits while the service is suspended", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonSuspended,
		Release: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = false },
	}),
	Entry("is only shown under managementPolicy Plan", fixture.BlockedChange{
		Service: fixture.UnderManagement(v1alpha1.ManagementPlan),
		Release: fixture.UnderManagement(v1alpha1.ManagementManage),
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonPlanned,
	}),
	Entry("is left alone under managementPolicy Observe", fixture.BlockedChange{
		Service: fixture.UnderManagement(v1alpha1.ManagementObserve),
		Release: fixture.UnderManagement(v1alpha1.ManagementManage),
		Status:  metav1.ConditionTrue, Reason: v1alpha1.ReasonObserving,
	}),
	Entry("waits for approval if chargeable changes need one, because it has no quoted price", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalOnCost },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonAwaitingApproval,
	}),
)

var _ = Describe("An operator that is killed between any two effects of a reclaim", func() {
	tell := func(ctx context.Context, cut world.CrashPoint) (*world.World, *world.Process, int64) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		line := w.Line(fixture.DisconnectedLine(fixture.ReclaimableTo))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.Reclaiming))).To(Succeed())
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
			Expect(fixture.Reclaims(w, line)).To(BeNumerically("<=", 1+int(request.Repeats)))
			if world.Ready(service).Reason == v1alpha1.ReasonOutcomeUnknown {
				unknown++
				w.Annotate(ctx, site, v1alpha1.AnnotationResolve, request.AttemptID+"=Succeeded")
				service = successor.Drive(ctx, site)
			}
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			fixture.ExpectAspect(service, v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected)
			Expect(w.Carrier.Submissions(simulator.OpReclaim, line).Processed).To(Equal(1))
		}
		AddReportEntry("kill points of a reclaim that ended OutcomeUnknown", unknown)
	})
})
