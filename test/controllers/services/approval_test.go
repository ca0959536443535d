// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"cmp"
	"context"
	"fmt"
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

// expectAwaiting expects that a service waits for approval, and that it shows what to approve and
// how. It returns the hash.
func expectAwaiting(service *v1alpha1.BroadbandService, messages ...string) string {
	GinkgoHelper()
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
	Expect(fixture.Condition(service, v1alpha1.ConditionReconciling).Type).To(BeEmpty())
	Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Type).To(BeEmpty())
	required := fixture.Condition(service, v1alpha1.ConditionApprovalRequired)
	Expect(required.Status).To(Equal(metav1.ConditionTrue))
	hash := service.Status.Pending.Hash
	Expect(hash).To(MatchRegexp(`^p[0-9a-f]{32}$`))
	Expect(required.Message).To(ContainSubstring(
		"kubectl -n %s annotate --overwrite bbs site 'wholesale.broadband/approve=%s'", service.Namespace, hash))
	for _, message := range messages {
		Expect(required.Message).To(ContainSubstring(message))
	}
	return hash
}

// expectApproved expects that each request of a service was approved by a hash, and that the
// condition Ready of the service has this reason.
func expectApproved(ctx context.Context, service *v1alpha1.BroadbandService, hash, reason string) {
	GinkgoHelper()
	Expect(world.Ready(service).Reason).To(Equal(reason), world.Ready(service).Message)
	Expect(service.Status.Handled.Approve).To(Equal(hash))
	for _, request := range service.Status.Requests {
		Expect(fixture.Recorded(ctx, service, request.Operation).ApprovedHash).To(Equal(hash))
	}
	Expect(fixture.Condition(service, v1alpha1.ConditionApprovalRequired).Type).To(BeEmpty())
}

func withRareHealthReads(s *v1alpha1.BroadbandService) { s.Spec.Observe.HealthInterval = "9000h" }

func onOldPlan(service *simulator.Service) { service.Plan = "Home of Old" }

// approval is a scenario in which a change waits for approval and is approved.
type approval struct {
	policy v1alpha1.Approval // "": OnCost
	sold   func(*simulator.Service)
	wanted fixture.Edit
	shown  string
	ends   string // the reason of Ready once it is approved; "": InSync
}

var _ = DescribeTable("A change that waits for approval",
	func(ctx SpecContext, scenario approval) {
		policy := cmp.Or(scenario.policy, v1alpha1.ApprovalOnCost)
		d := newPricedService(ctx, fixture.WithApproval(policy), fixture.OrNoop(scenario.sold))
		waiting := d.declare(ctx, scenario.wanted)
		hash := expectAwaiting(waiting, "approval is "+string(policy), scenario.shown)
		quotes := 0 // only plan changes have a quoted price
		if waiting.Status.Pending.Changes[0].Operation == v1alpha1.OperationPlanChange {
			quotes = 1
		}
		Expect(d.quotes()).To(Equal(quotes))

		By("a restart and a day without changes, in which it still waits")
		d.process = d.Start(world.CrashPoint{}, d.forger.wrap)
		d.Clock.Advance(24 * time.Hour)
		Expect(d.drive(ctx).ResourceVersion).To(Equal(waiting.ResourceVersion), "no write")

		By("the approval of something else, which has no effect and is reported")
		const other = "p0123456789abcdef"
		waiting = d.approve(ctx, other)
		Expect(expectAwaiting(waiting, "the approval "+other+" is for another plan")).To(Equal(hash))
		Expect(waiting.Status.Handled.Approve).To(BeEmpty())
		Expect(d.quotes()).To(Equal(quotes))
		Expect(d.sent()).To(BeEmpty())

		By("the approval of the change")
		expectApproved(ctx, d.approve(ctx, hash), hash, cmp.Or(scenario.ends, v1alpha1.ReasonInSync))
		Expect(d.sent()).To(HaveLen(1))
		Expect(d.quotes()).To(Equal(2*quotes), "read once more right before the POST")
	},
	Entry("a more expensive plan", approval{
		wanted: fixture.WithPlan(world.PlanFast, 12), shown: `plan.name "Home 50/20" → ` +
			`"Home 100/20" (one-time 0.00 AUD, monthly 45.00 AUD → 58.00 AUD)`,
	}),
	Entry("a cheaper plan with a fee once",
		approval{wanted: fixture.WithPlan(world.PlanSetUp, 12), shown: "one-time 20.00 AUD"}),
	Entry("a cheaper plan with an NFAS fee", approval{
		wanted: fixture.WithPlan(world.PlanNFAS, 12), shown: "NFAS one-time 200.00",
	}),
	Entry("a plan with an NTD option", approval{wanted: withNTD, shown: `"Home 2000/500" with NTD option ` +
		`"4_PORT_RESIDENTIAL" (one-time 0.00 AUD, monthly 45.00 AUD → 110.00 AUD, NTD option one-time 99.00 AUD`}),
	Entry("a more expensive SLA", approval{wanted: fixture.WithSLA(world.SLAFast), shown: "monthly 0.00 AUD → 10.00 AUD"}),
	Entry("a cheaper plan than one of unknown price",
		approval{sold: onOldPlan, wanted: fixture.WithPlan(world.PlanCheap, 12), shown: "monthly unknown → 30.00 AUD"}),
	Entry("an aggregation method", approval{wanted: fixture.WithEthernet}),
	Entry("a reclaim", approval{sold: fixture.DisconnectedLine(fixture.ReclaimableTo), wanted: fixture.Reclaiming}),
	Entry("a cheaper plan, under Always", approval{
		policy: v1alpha1.ApprovalAlways, wanted: fixture.WithPlan(world.PlanCheap, 12),
	}),
	Entry("a DSL profile, under Always", approval{
		policy: v1alpha1.ApprovalAlways, sold: fixture.OnCopper, wanted: fixture.WithDSLProfile,
	}),
	Entry("a cancellation's date, under Always", approval{
		policy: v1alpha1.ApprovalAlways, sold: fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
		wanted: fixture.EndOn(fixture.WantedDate),
	}),
	Entry("a cancellation's end, under Always", approval{
		policy: v1alpha1.ApprovalAlways, sold: fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate),
		wanted: fixture.WithoutEnd,
	}),
)

var _ = DescribeTable("A plan change without a price, because the carrier refuses its options, can be approved",
	func(ctx SpecContext, target string, fault simulator.Fault) {
		fault.Times = 10_000
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		Expect(d.Carrier.FailNext(target, fault)).To(Succeed())

		hash := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanCheap, 12)))

		Expect(d.Read(ctx, site).Status.Pending.Changes).To(ConsistOf(planTo(world.PlanCheap)))
		d.Clock.Advance(24 * time.Hour)
		Expect(expectAwaiting(d.drive(ctx))).To(Equal(hash))
		Expect(d.sent()).To(BeEmpty())
		expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(ConsistOf(simulator.OpPlanChange))
	},
	Entry("with 422", "POST PlanOptions", fixture.RefusedWith("constraints.some.rule", "serviceId")),
	Entry("with 404", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultStatus, Status: 404}),
	Entry("with 422 instead of a result", "GET PlanOptions", fixture.RefusedWith("constraints.some.rule", "serviceId")),
	Entry("with 404 instead of a result", "GET PlanOptions", simulator.Fault{Kind: simulator.FaultStatus, Status: 404}),
)

var _ = Describe("An approval", func() {
	leavingOnCopper := func(s *simulator.Service) {
		fixture.OnCopper(s)
		fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate)(s)
	}

	It("is for one price: a fee that has changed before the POST voids it", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		first := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)), "58.00 AUD")
		*d.forger = tamperingProxy{quotePath, `"58.00"`, `"61.00"`}

		second := expectAwaiting(d.approve(ctx, first), "61.00 AUD",
			"the approval "+first+" is for another plan of changes, or for another price")

		Expect(second).NotTo(Equal(first))
		Expect(d.sent()).To(BeEmpty())
		Expect(d.Read(ctx, site).Status.Handled.Approve).To(BeEmpty())
		Expect(d.quotes()).To(Equal(2))
		expectApproved(ctx, d.approve(ctx, second), second, v1alpha1.ReasonInSync)
		Expect(d.quotes()).To(Equal(3))
		Expect(d.sent()).To(HaveLen(1))
	})

	It("is never valid again once it is used, however often the spec changes back and forth", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		used := make([]string, 0, 3)
		for range cap(used) {
			hash := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)))
			Expect(used).NotTo(ContainElement(hash))
			for _, old := range used {
				Expect(expectAwaiting(d.approve(ctx, old))).To(Equal(hash))
			}
			fixture.ExpectReady(d.approve(ctx, hash), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			used = append(used, hash)
			fixture.ExpectReady(d.declare(ctx, fixture.WithPlan(world.PlanSlow, 12)), metav1.ConditionTrue,
				v1alpha1.ReasonInSync)
		}
		Expect(d.sent()).To(HaveLen(6))
	})

	It("is void for good once the spec has changed, even when it changes back", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		old := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)))
		expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 24)))
		expectAwaiting(d.approve(ctx, old), "the approval "+old+" is for another plan")
		Expect(expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)))).NotTo(Equal(old))
		Expect(d.sent()).To(BeEmpty())
	})

	It("is for one spec and one state at the carrier: a change of either makes another hash",
		func(ctx SpecContext) {
			d := newPricedService(ctx, both(fixture.WithApproval(v1alpha1.ApprovalOnCost), withRareHealthReads))
			d.Clock.Advance(time.Minute)
			d.Annotate(ctx, site, v1alpha1.AnnotationReconcile, "learn health's name for the plan")
			d.drive(ctx)
			hashes := make([]string, 0, 4)
			for _, wanted := range []fixture.Edit{
				fixture.WithPlan(world.PlanFast, 12), fixture.WithPlan(world.PlanFast, 24), fixture.WithSLA(world.SLAFast),
			} {
				hashes = append(hashes, expectAwaiting(d.declare(ctx, wanted)))
			}
			Expect(d.Carrier.SetPlan(d.line, world.PlanCheap)).To(Succeed())
			d.Clock.Advance(time.Minute)
			d.Annotate(ctx, site, v1alpha1.AnnotationReconcile, "the carrier has moved")
			hashes = append(hashes, expectAwaiting(d.drive(ctx), "monthly 30.00 AUD → 58.00 AUD"))
			Expect(slices.Compact(slices.Sorted(slices.Values(hashes)))).To(HaveLen(len(hashes)))
			for _, old := range hashes[:3] {
				Expect(expectAwaiting(d.approve(ctx, old))).To(Equal(hashes[3]))
			}
			Expect(d.sent()).To(BeEmpty())
			fixture.ExpectReady(d.approve(ctx, hashes[3]), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(1))
		})

	It("applies to a whole plan of changes, in order, with the same hash until it is done", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAlways), leavingOnCopper)
		d.Edit(ctx, site,
			both(both(fixture.WithPlan(world.PlanFast, 12), fixture.WithSLA(world.SLAFast)), fixture.WithEthernet))
		waiting := d.declare(ctx, both(fixture.WithDSLProfile, fixture.EndOn(fixture.WantedDate)))
		hash := expectAwaiting(waiting)
		Expect(waiting.Status.Pending.Changes).To(HaveLen(5))
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)

		for pending := waiting.Status.Pending; pending != nil; pending = d.Read(ctx, site).Status.Pending {
			Expect(pending.Hash).To(Equal(hash))
			result, err := d.process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			d.Clock.Advance(min(result.RequeueAfter, time.Minute))
		}

		expectApproved(ctx, d.drive(ctx), hash, v1alpha1.ReasonInSync)
		Expect(d.quotes()).To(Equal(2))
		Expect(d.sent()).To(HaveExactElements(simulator.OpCancellationReschedule, simulator.OpPlanChange,
			simulator.OpAggregationConversion, simulator.OpDSLStabilityProfileChange))
	})

	It("ends with a failure of one change: the rest needs another approval", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAlways), leavingOnCopper)
		first := expectAwaiting(d.declare(ctx,
			both(fixture.EndOn(fixture.WantedDate), both(fixture.WithEthernet, fixture.WithDSLProfile))))
		Expect(d.Carrier.FailNext("AggregationConversion", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())

		failed := d.approve(ctx, first)

		fixture.ExpectReady(failed, metav1.ConditionFalse, v1alpha1.ReasonAggregationConversionFailed)
		before := d.sent()
		Expect(before).To(HaveExactElements(simulator.OpCancellationReschedule, simulator.OpAggregationConversion))
		second := failed.Status.Pending.Hash
		Expect(second).NotTo(Equal(first))
		d.Clock.Advance(fixture.Horizon)
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonAggregationConversionFailed)
		Expect(d.sent()).To(Equal(before))

		By("a new approval, which does not repeat the failed change")
		fixture.ExpectReady(d.approve(ctx, second), metav1.ConditionFalse, v1alpha1.ReasonAggregationConversionFailed)
		Expect(d.sent()).To(HaveExactElements(before[0], before[1], simulator.OpDSLStabilityProfileChange))
		Expect(d.Read(ctx, site).Status.Handled.Approve).To(Equal(second))

		By("a retry of the failed change, which that approval covers")
		d.Annotate(ctx, site, v1alpha1.AnnotationRetry,
			failed.RequestOf(v1alpha1.OperationAggregationConversion).AttemptID)
		retried := d.drive(ctx)
		fixture.ExpectReady(retried, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Recorded(ctx, retried, v1alpha1.OperationAggregationConversion).ApprovedHash).To(Equal(second))
		Expect(d.sent()).To(HaveLen(4))
	})

	It("counts in spite of characters that nobody sees", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		hash := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)))
		expectApproved(ctx, d.approve(ctx, "\u200b"+hash+"\n"), hash, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(1))
	})

	It("is required if the service or its account requires it (R9)", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(""))
		account := func(approval v1alpha1.Approval) {
			fixture.EditAccount(ctx, d.World, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = approval })
			Expect(d.process.ReconcileAccount(ctx)).Error().NotTo(HaveOccurred())
		}
		account(v1alpha1.ApprovalAlways)
		expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanCheap, 12)), "approval is Always")
		expectAwaiting(d.declare(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic)), "approval is Always")
		account(v1alpha1.ApprovalOnCost)
		hash := expectAwaiting(d.drive(ctx), "the first change by this object, which has no orderRef")
		expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
		expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)), "approval is OnCost")
		Expect(d.sent()).To(HaveLen(1))
	})

	It("is used up with the intent, at whatever effect the operator is killed", func(ctx SpecContext) {
		scenario := func(cut world.CrashPoint) (pricedService, string) {
			d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
			hash := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)))
			d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
			d.process = d.Start(cut)
			d.drive(ctx)
			return d, hash
		}
		whole, _ := scenario(world.CrashPoint{})
		effects := whole.process.Seam.Effects()
		Expect(len(effects)).To(BeNumerically(">=", 10))
		again := 0
		for _, cut := range world.CrashPoints(effects) {
			By("killing it " + cut.String())
			d, hash := scenario(cut)
			killed := d.Read(ctx, site)
			for _, shown := range killed.Status.Requests {
				request := fixture.Recorded(ctx, killed, shown.Operation)
				Expect([]string{request.ApprovedHash, killed.Status.Handled.Approve}).To(HaveEach(hash))
			}
			d.process = d.Start(world.CrashPoint{})
			service := d.drive(ctx)
			Expect(len(d.sent())).To(BeNumerically("<=", 1))
			if world.Ready(service).Reason == v1alpha1.ReasonOutcomeUnknown {
				service = fixture.ExpectResolved(ctx, d.World, d.process, d.line)
			}
			if world.Ready(service).Reason == v1alpha1.ReasonAwaitingApproval {
				again++
				Expect(d.sent()).To(BeEmpty())
				Expect(expectAwaiting(service)).NotTo(Equal(hash))
				hash = service.Status.Pending.Hash
				service = d.approve(ctx, hash)
			}
			expectApproved(ctx, service, hash, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(1))
		}
		AddReportEntry("kill points of an approved change", fmt.Sprintf(
			"%d, of which %d needed approval again", len(world.CrashPoints(effects)), again))
	})
})
