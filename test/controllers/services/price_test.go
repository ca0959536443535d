// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("managementPolicy Plan shows the prices of changes",
	func(ctx SpecContext, wanted fixture.Edit, quotes int, changes ...v1alpha1.Change) {
		d := newPricedService(ctx, fixture.UnderManagement(v1alpha1.ManagementPlan))

		planned := d.declare(ctx, wanted)

		fixture.ExpectReady(planned, metav1.ConditionFalse, v1alpha1.ReasonPlanned)
		Expect(planned.Status.Pending.Changes).To(Equal(changes))
		Expect(planned.Status.Pending.Hash).To(MatchRegexp(`^p[0-9a-f]{32}$`))
		Expect(fixture.Condition(planned, v1alpha1.ConditionReconciling).Type).To(BeEmpty())
		Expect(fixture.Condition(planned, v1alpha1.ConditionStalled).Type).To(BeEmpty())
		Expect(d.quotes()).To(Equal(quotes))

		By("a second pass, a restart and a day without changes, which find nothing new")
		d.drive(ctx)
		d.process = d.Start(world.CrashPoint{})
		d.drive(ctx)
		d.Clock.Advance(24 * time.Hour)
		Expect(d.drive(ctx).ResourceVersion).To(Equal(planned.ResourceVersion), "no write")
		Expect(d.quotes()).To(Equal(quotes))

		By("an approval, which has no effect")
		fixture.ExpectReady(d.approve(ctx, planned.Status.Pending.Hash), metav1.ConditionFalse, v1alpha1.ReasonPlanned)
		Expect(d.sent()).To(BeEmpty())
		Expect(d.quotes()).To(Equal(quotes))
	},
	Entry("a plan", fixture.WithPlan(world.PlanFast, 12), 1, planTo(world.PlanFast, "0.00", "45.00", "58.00")),
	Entry("a plan in another term, which are sold together", fixture.WithPlan(world.PlanFast, 24), 1,
		planTo(world.PlanFast, "0.00", "45.00", "58.00"), row("plan.term", "12", "24")),
	Entry("a term", fixture.WithPlan(world.PlanSlow, 24), 1, row("plan.term", "12", "24", "0.00", "45.00", "45.00")),
	Entry("a plan with a fee once", fixture.WithPlan(world.PlanSetUp, 12), 1,
		planTo(world.PlanSetUp, "20.00", "45.00", "32.00")),
	Entry("an SLA", fixture.WithSLA(world.SLAFast), 1,
		row("restorationSLA", world.SLAStd, world.SLAFast, "0.00", "0.00", "10.00")),
	Entry("a plan and an SLA, each in its row", both(fixture.WithPlan(world.PlanFast, 12), fixture.WithSLA(world.SLAFast)),
		1,
		planTo(world.PlanFast, "0.00", "45.00", "58.00"),
		row("restorationSLA", world.SLAStd, world.SLAFast, "0.00", "0.00", "10.00")),
	Entry("an NFAS commitment", fixture.WithPlan(world.PlanNFAS, 12), 1,
		alsoCosting(planTo(world.PlanNFAS, "0.00", "45.00", "38.00"), charged("200.00"), nil)),
	Entry("an NTD option", withNTD, 1,
		alsoCosting(planTo(world.PlanGiga, "0.00", "45.00", "110.00"), nil, device("4_PORT_RESIDENTIAL", "99.00")),
		row("plan.contact", "", "spec.plan.contact")),
	Entry("an aggregation method, which has no quoted price", fixture.WithEthernet, 0,
		v1alpha1.Change{
			Operation: v1alpha1.OperationAggregationConversion, Field: "aggregationMethod", Unknown: true, To: "ETHERNET",
		}),
)

var _ = Describe("The price of a plan change", func() {
	It("is known without the term of the present plan when that costs the same in every term", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.UnderManagement(v1alpha1.ManagementPlan)))).To(Succeed())
		planned := process.Drive(ctx, site)
		Expect(planned.Status.Carrier.Term).To(BeNil(), "it has no read")
		Expect(planned.Status.Pending.Changes).To(Equal([]v1alpha1.Change{
			planTo(world.PlanFast, "0.00", "45.00", "58.00"), row("plan.term", "", "12"),
		}))
	})

	It("is not known without the term of the present plan when that costs more in some", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		const in36 = `{"plan":"Home 50/20","term":"36"},"monthlyRecurringCharge":{"amount":`
		dearerIn36 := &tamperingProxy{quotePath, in36 + `"45.00"`, in36 + `"49.00"`}
		Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.UnderManagement(v1alpha1.ManagementPlan)))).To(Succeed())
		planned := w.Start(world.CrashPoint{}, dearerIn36.wrap).Drive(ctx, site)
		Expect(planned.Status.Pending.Changes).To(Equal([]v1alpha1.Change{
			planTo(world.PlanFast, "0.00", "", "58.00"), row("plan.term", "", "12"),
		}))
	})

	It("can be a credit", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.UnderManagement(v1alpha1.ManagementPlan))
		*d.forger = tamperingProxy{quotePath, `"20.00"`, `"-5.50"`}
		planned := d.declare(ctx, fixture.WithPlan(world.PlanSetUp, 12))
		Expect(planned.Status.Pending.Changes).To(ConsistOf(planTo(world.PlanSetUp, "-5.50", "45.00", "32.00")))
	})
})

var _ = DescribeTable("A carrier that does not return the price of a plan change",
	func(ctx SpecContext, target string, fault simulator.Fault) {
		fault.Times = 10_000
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		Expect(d.Carrier.FailNext(target, fault)).To(Succeed())
		d.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
		reasons := d.passHour(ctx)
		Expect(reasons[len(reasons)-1]).To(Equal(v1alpha1.ReasonCarrierUnavailable))
		Expect(len(reasons)).To(BeNumerically("<=", 2), "no to and fro: %v", reasons)
		fixture.ExpectReady(d.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		Expect(d.quotes()).To(BeNumerically("<=", 20), "ever more rarely")
		d.Carrier.Disarm()
		hash := expectAwaiting(d.drive(ctx), "58.00 AUD")

		By("failing again once the change is approved")
		Expect(d.Carrier.FailNext(target, fault)).To(Succeed())
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		Expect(d.passHour(ctx)).To(ContainElement(v1alpha1.ReasonCarrierUnavailable))
		Expect(fixture.Condition(d.Read(ctx, site), v1alpha1.ConditionReconciling).Status).To(Equal(metav1.ConditionTrue))
		Expect(d.sent()).To(BeEmpty())
		d.Carrier.Disarm()
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(ConsistOf(simulator.OpPlanChange))
	},
	Entry("because a gateway answers for it", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultPage, Status: 503}),
	Entry("because it fails", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultStatus, Status: 500}),
	Entry("because it cuts the connection", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultReset}),
	Entry("because another request is in progress", "POST PlanOptions", fixture.RefusedFor("serviceId", planInProgress)),
	Entry("because polling the response fails", "GET PlanOptions",
		simulator.Fault{Kind: simulator.FaultStatus, Status: 502}),
)

var _ = DescribeTable("A fee in the result that differs from the approved one",
	func(ctx SpecContext, wanted fixture.Edit, from, to, words string) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		hash := expectAwaiting(d.declare(ctx, wanted), "AUD")
		*d.forger = tamperingProxy{resultPath, from, to}

		service := d.approve(ctx, hash)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		synced := fixture.Condition(service, v1alpha1.ConditionPlanSynced)
		Expect(string(synced.Status) + "/" + synced.Reason).To(Equal("True/ResultDiffers"))
		Expect(synced.Message).To(ContainSubstring(words))
		Expect(d.mismatches()).To(HaveLen(1))

		By("a restart and a day without changes, in which it is not reported again")
		d.process = d.Start(world.CrashPoint{})
		d.Clock.Advance(24 * time.Hour)
		Expect(d.drive(ctx).ResourceVersion).To(Equal(service.ResourceVersion))
		Expect(d.mismatches()).To(HaveLen(1))
	},
	Entry("per month", fixture.WithPlan(world.PlanFast, 12), `"58.00"`, `"61.00"`,
		"61.00 AUD for the plan (monthly) instead of 58.00 AUD"),
	Entry("once", fixture.WithPlan(world.PlanSetUp, 12), `"20.00"`, `"25.00"`,
		"25.00 AUD for the plan (one-time) instead of 20.00 AUD"),
	Entry("of the SLA", fixture.WithSLA(world.SLAFast), `"10.00"`, `"12.00"`,
		"12.00 AUD for the restoration SLA (monthly) instead of 10.00 AUD"),
	Entry("of the NFAS commitment", fixture.WithPlan(world.PlanNFAS, 12), `"200.00"`, `"220.00"`,
		"220.00 AUD for the NFAS commitment (one-time) instead of 200.00 AUD"),
	Entry("of the NTD option", withNTD, `"99.00"`, `"120.00"`,
		"120.00 AUD for the NTD option (one-time) instead of 99.00 AUD"),
	Entry("of an NFAS commitment that was not shown", fixture.WithPlan(world.PlanFast, 12), `"nfasFee":null`,
		`"nfasFee":{"oneTimeCharge":{"amount":"200.00","currency":"AUD"}}`, "200.00 AUD"),
	Entry("of an additional NTD that was not shown", fixture.WithPlan(world.PlanFast, 12),
		`"requiresAdditionalNtd":null`, `"requiresAdditionalNtd":true,"ntdOptions":[{"option":"1_PORT","fee":`+
			`{"oneTimeCharge":{"amount":"300.00","currency":"AUD"}}}]`,
		"300.00 AUD for the NTD option (one-time) instead of 0.00 AUD"),
)

// The carrier accepts such a plan without a device, up to 1000 MBit/s, and may choose one itself.
var _ = It("A cheaper plan that requires an additional NTD is not changed to unasked", func(ctx SpecContext) {
	d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
	d.changeOnce(ctx)
	sent := len(d.sent())
	*d.forger = tamperingProxy{quotePath, `"requiresAdditionalNtd":null`, `"requiresAdditionalNtd":true`}
	d.Clock.Advance(time.Hour)
	awaiting := d.declare(ctx, fixture.WithPlan(world.PlanCheap, 12))
	hash := expectAwaiting(awaiting, `plan.name "Home 50/20" → "Home 25/5" with an additional NTD that the carrier `+
		`requires (one-time 0.00 AUD, monthly 45.00 AUD → 30.00 AUD, additional NTD price unknown)`)
	quotes := d.quotes()

	By("a restart and a day without changes, after which the same is asked")
	d.process = d.Start(world.CrashPoint{}, d.forger.wrap)
	d.Clock.Advance(24 * time.Hour)
	Expect(d.drive(ctx).ResourceVersion).To(Equal(awaiting.ResourceVersion))
	Expect(d.quotes()).To(Equal(quotes))
	Expect(d.sent()).To(HaveLen(sent))

	By("an approval")
	expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
	Expect(d.sent()).To(HaveLen(sent + 1))
})

var _ = DescribeTable("A plan above 1000 MBit/s without an NTD option",
	func(ctx SpecContext, policy fixture.Edit) {
		d := newPricedService(ctx, policy)

		stalled := d.declare(ctx, fixture.WithPlan(world.PlanGiga, 12))

		fixture.ExpectReady(stalled, metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)
		Expect(fixture.Condition(stalled, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		Expect(world.Ready(stalled).Message).To(And(
			ContainSubstring("spec.plan.ntdOption"), ContainSubstring("4_PORT_RESIDENTIAL")))
		Expect(d.quotes()).To(Equal(1))

		By("a day without changes and a restart, which change nothing")
		d.Clock.Advance(24 * time.Hour)
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)
		d.process = d.Start(world.CrashPoint{})
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)

		By("an approval, which has no effect")
		fixture.ExpectReady(d.approve(ctx, stalled.Status.Pending.Hash), metav1.ConditionFalse,
			v1alpha1.ReasonNTDOptionRequired)
		Expect(d.sent()).To(BeEmpty())
	},
	Entry("is refused before it is approved, OnCost", fixture.WithApproval(v1alpha1.ApprovalOnCost)),
	Entry("is refused before it is approved, Always", fixture.WithApproval(v1alpha1.ApprovalAlways)),
	Entry("is refused in the plan", fixture.UnderManagement(v1alpha1.ManagementPlan)),
)

var _ = DescribeTable("What the carrier does not offer for a service is not put up for approval",
	func(ctx SpecContext, wanted fixture.Edit, words ...string) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))

		stalled := d.declare(ctx, wanted)

		fixture.ExpectReady(stalled, metav1.ConditionFalse, v1alpha1.ReasonNotOffered)
		Expect(fixture.Condition(stalled, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		Expect(fixture.Condition(stalled, v1alpha1.ConditionApprovalRequired).Status).NotTo(Equal(metav1.ConditionTrue))
		for _, part := range words {
			Expect(world.Ready(stalled).Message).To(ContainSubstring(part))
		}
		Expect(d.quotes()).To(Equal(1))

		By("a day without changes and a restart, which change nothing and read nothing")
		d.Clock.Advance(24 * time.Hour)
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonNotOffered)
		d.process = d.Start(world.CrashPoint{})
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonNotOffered)
		Expect(d.quotes()).To(Equal(1))

		By("an approval, which has no effect")
		fixture.ExpectReady(d.approve(ctx, stalled.Status.Pending.Hash), metav1.ConditionFalse, v1alpha1.ReasonNotOffered)
		Expect(d.sent()).To(BeEmpty())

		By("the plan that was meant")
		expectAwaiting(d.declare(ctx, both(fixture.WithPlan(world.PlanFast, 12), fixture.WithSLA(world.SLAStd))), "58.00 AUD")
	},
	Entry("a mistyped plan", fixture.WithPlan("Home 1OO/20", 12),
		`does not offer plan "Home 1OO/20"`, `nearest: "Home 100/20"`),
	Entry("another name of a plan", fixture.WithPlan("Family Fast", 12),
		`plan "Family Fast"`, `it offers: "`, `"Home 100/20"`),
	Entry("a plan in lower case", fixture.WithPlan("home 100/20", 12),
		`plan "home 100/20"`, `it is spelled "Home 100/20"`),
	Entry("a term", fixture.WithPlan(world.PlanFast, 6), `does not offer term "6"`, `it offers: "1"`),
	Entry("an SLA", fixture.WithSLA("Gold"), `restoration SLA "Gold"`, world.SLAFast),
	Entry("an NTD option", withUnlistedNTD, `NTD option "1_PORT"`, `"4_PORT_RESIDENTIAL"`),
)

var _ = It("A plan above 1000 MBit/s without an NTD option is sent under approval Automatic, and refused",
	func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
		refused := d.declare(ctx, fixture.WithPlan(world.PlanGiga, 12))
		fixture.ExpectReady(refused, metav1.ConditionFalse, v1alpha1.ReasonRequiredFieldMissing)
		Expect(refused.Status.LastError.Field).To(Equal("ntdOption"))
		Expect(d.sent()).To(ConsistOf(simulator.OpPlanChange))
		Expect(d.quotes()).To(BeZero())
		fixture.ExpectReady(d.declare(ctx, withNTD), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
