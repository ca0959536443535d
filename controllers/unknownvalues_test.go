// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// asksWhich leaves an account's unknownValues to the default of the schema.
func asksWhich(account *v1alpha1.CarrierAccount) { account.Spec.UnknownValues = "" }

// unknown sets the policy for unknown values of a service.
func unknown(policy v1alpha1.UnknownValues) edit {
	return func(service *v1alpha1.BroadbandService) { service.Spec.UnknownValues = policy }
}

// everything declares, in addition to a plan that the service has, everything that no read returns.
func everything(service *v1alpha1.BroadbandService) {
	service.Spec.Plan = &v1alpha1.Plan{Name: world.PlanSlow, Term: 12}
	service.Spec.RestorationSLA, service.Spec.AggregationMethod = world.SLAFast, "ETHERNET"
	service.Spec.DSLStabilityProfile = "Stable"
}

func fast(service *v1alpha1.BroadbandService) {
	service.Spec.Plan = &v1alpha1.Plan{Name: world.PlanFast, Term: 12}
}

// ofAnotherName is on a plan whose name in health differs from its name in the carrier's offers.
func ofAnotherName(service *simulator.Service) { service.Plan = inHealth }

// importing is an import of a service under the default of unknownValues.
type importing struct {
	wanted  edit
	sold    func(*simulator.Service)       // nil: on copper
	account func(*v1alpha1.CarrierAccount) // nil: as the others in these tests
	offers  *simulator.Fault               // in the answer for the plans on offer; nil: none
}

// begin imports the service, and reconciles it as far as possible.
func (i importing) begin(ctx context.Context) (deal, *v1alpha1.BroadbandService) {
	GinkgoHelper()
	var d deal
	d.World, d.process = begin(ctx, asksWhich, orNothing(i.account))
	if i.sold == nil {
		i.sold = onCopper
	}
	d.line = d.Line(i.sold)
	if i.offers != nil {
		Expect(d.Carrier.FailNext("PlanOptions", *i.offers)).To(Succeed())
	}
	Expect(d.Create(ctx, d.Service(site, d.line, i.wanted))).To(Succeed())
	return d, d.drive(ctx)
}

// trust confirms that the service has the unknown values, as a user would, and reconciles as far as
// possible.
func (d deal) trust(ctx context.Context, hash string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	d.Annotate(ctx, site, v1alpha1.AnnotationTrust, hash)
	return d.drive(ctx)
}

var _ = Describe("A declared value that cannot be read", func() {
	It("is neither requested nor believed before somebody says which, even where approval is Automatic",
		func(ctx SpecContext) {
			d, service := importing{wanted: everything}.begin(ctx)

			hash := expectAwaiting(service,
				"the carrier has no read of restorationSLA, aggregationMethod and dslStabilityProfile",
				`restorationSLA unknown → "Enhanced-8", aggregationMethod`, "what it costs is read then",
				"have them believed with wholesale.broadband/trust="+service.Status.Pending.Hash)
			Expect(service.Status.Pending.Changes).To(HaveEach(HaveField("Unknown", true)))
			Expect(d.sent()).To(BeEmpty())
			Expect(d.quotes()).To(BeZero())
			Expect(service.Status.Carrier.RestorationSLA).To(BeNil())

			By("a restart, in which it is asked the same")
			d.process = d.Start(world.Cut{})
			d.Clock.Advance(time.Hour)
			Expect(expectAwaiting(d.drive(ctx))).To(Equal(hash))

			By("the approval, upon which the price is read, and asked about")
			priced := expectAwaiting(d.approve(ctx, hash), "monthly unknown → 10.00 AUD",
				"the approval "+hash+" is for another plan of changes, or for another price")
			Expect(d.sent()).To(BeEmpty())

			By("the approval of the price, which sends all of it")
			expectApproved(d.approve(ctx, priced), priced, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(3))
		})

	It("is sent with its first approval where that turns out to be free", func(ctx SpecContext) {
		d, service := importing{wanted: both(everything, withSLA(world.SLAStd))}.begin(ctx)
		hash := expectAwaiting(service)
		Expect(d.quotes()).To(BeZero())
		expectApproved(d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(3))
		Expect(d.quotes()).To(Equal(1))
	})

	It("is believed once somebody says so, whatever becomes of the status", func(ctx SpecContext) {
		d, service := importing{wanted: everything}.begin(ctx)
		hash := expectAwaiting(service)

		service = d.trust(ctx, hash)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(world.Ready(service).Message).To(ContainSubstring("restoration SLA, aggregation method and " +
			"DSL stability profile believed as declared, which the carrier has never confirmed"))
		Expect(service.Status.Handled.Trust).To(Equal(hash))
		Expect(service.Status.Carrier.RestorationSLA.Source).To(Equal(v1alpha1.SourceDeclared))
		service.Status = v1alpha1.BroadbandServiceStatus{}
		Expect(d.Status().Update(ctx, service)).To(Succeed())
		d.process = d.Start(world.Cut{})
		expectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(BeEmpty())
	})

	It("waits beside a plan that is known to differ, which is sent where nobody has to approve it",
		func(ctx SpecContext) {
			d, service := importing{wanted: both(everything, withPlan(world.PlanFast, 12))}.begin(ctx)
			expectAwaiting(service, `aggregationMethod unknown → "ETHERNET", dslStabilityProfile unknown → "Stable"`)
			Expect(d.sent()).To(Equal([]simulator.Operation{simulator.OpPlanChange, simulator.OpPlanChange}),
				"the plan, and then the SLA, which its result has shown to differ")
			line, _ := d.Carrier.Service(d.line)
			Expect([]string{line.Plan, line.RestorationSLA}).To(Equal([]string{world.PlanFast, world.SLAFast}))
		})

	It("is one question with a plan that has to be approved, and trusting it leaves the plan", func(ctx SpecContext) {
		d, service := importing{
			wanted:  both(everything, withPlan(world.PlanFast, 12)),
			account: func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalOnCost },
		}.begin(ctx)
		both := expectAwaiting(service, `plan.name "Home 50/20" → "Home 100/20"`, `restorationSLA unknown → "Enhanced-8"`)
		plan := expectAwaiting(d.trust(ctx, both), `plan.name "Home 50/20" → "Home 100/20"`)
		Expect(d.Read(ctx, site).Status.Pending.Changes).To(HaveLen(1))
		Expect(d.sent()).To(BeEmpty())

		By("the approval of the plan, whose result shows that the SLA was not what was believed")
		expectAwaiting(d.approve(ctx, plan), `restorationSLA "Standard" → "Enhanced-8"`)
		Expect(d.sent()).To(HaveLen(1))
	})

	It("is not believed for what was answered about other values", func(ctx SpecContext) {
		d, service := importing{wanted: everything}.begin(ctx)
		hash := expectAwaiting(service)
		other := expectAwaiting(d.want(ctx, both(everything, withSLA(world.SLAStd))))
		service = d.trust(ctx, hash)
		Expect(expectAwaiting(service, "the annotation trust="+hash+" is for another plan of changes")).To(Equal(other))
		Expect(service.Status.Handled.Trust).To(BeEmpty())
	})

	It("is not believed while its request is with the carrier", func(ctx SpecContext) {
		d, service := importing{wanted: aggregated("ETHERNET")}.begin(ctx)
		hash := expectAwaiting(service)
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		inFlight(ctx, d.World, d.process)
		service = d.trust(ctx, hash)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Handled.Trust).To(BeEmpty())
		Expect(service.Status.Carrier.AggregationMethod.Source).To(Equal(v1alpha1.SourceChangeResult))
	})

	It("is believed or requested for all services by one edit of their account", func(ctx SpecContext) {
		for _, answer := range []struct {
			policy   v1alpha1.UnknownValues
			requests int
		}{{v1alpha1.UnknownTrust, 0}, {v1alpha1.UnknownRequest, 3}} {
			d, service := importing{wanted: everything}.begin(ctx)
			expectAwaiting(service)
			account := d.World.Account()
			Expect(d.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
			account.Spec.UnknownValues = answer.policy
			Expect(d.Update(ctx, account)).To(Succeed())
			_, err := d.process.LookAtAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			expectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(answer.requests))
		}
	})

	It("is treated as the service says, before what its account says", func(ctx SpecContext) {
		d, service := importing{wanted: both(everything, unknown(v1alpha1.UnknownTrust))}.begin(ctx)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(BeEmpty())
	})
})

var _ = Describe("A plan that health names as no offer of the carrier", func() {
	const asked = `health names the plan "HOME FAST (100/20)", and the carrier is not known to offer a plan of that name`

	It("is asked about, even where approval is Automatic, and is believed once somebody says so", func(ctx SpecContext) {
		d, service := importing{wanted: both(fast, readEvery("1h")), sold: ofAnotherName}.begin(ctx)
		hash := expectAwaiting(service, asked, `plan.name "HOME FAST (100/20)" → "Home 100/20"`)
		Expect(d.quotes()).To(Equal(1))

		service = d.trust(ctx, hash)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(world.Ready(service).Message).To(ContainSubstring("plan believed as declared"))
		Expect(service.Status.Carrier.Plan).To(HaveValue(And(
			HaveField("Value", world.PlanFast), HaveField("AsHealth", inHealth),
			HaveField("Source", v1alpha1.SourceDeclared))))

		By("a restart and readings, which say the same")
		d.process = d.Start(world.Cut{})
		elapse(ctx, d.World, d.process, 2*time.Hour)
		expectReady(d.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		By("the carrier moving to another plan, which is drift")
		Expect(d.Carrier.SetPlan(d.line, world.PlanSlow)).To(Succeed())
		elapse(ctx, d.World, d.process, 2*time.Hour)
		expectReady(d.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(d.sent()).To(BeEmpty())

		By("the carrier moving back")
		Expect(d.Carrier.SetPlan(d.line, inHealth)).To(Succeed())
		elapse(ctx, d.World, d.process, 2*time.Hour)
		expectReady(d.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})

	It("is changed once somebody approves it", func(ctx SpecContext) {
		d, service := importing{wanted: fast, sold: ofAnotherName}.begin(ctx)
		hash := expectAwaiting(service, asked)
		expectApproved(d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(Equal([]simulator.Operation{simulator.OpPlanChange}))
	})

	It("is believed under unknownValues: Trust, where the offers could be read", func(ctx SpecContext) {
		trusting := both(fast, unknown(v1alpha1.UnknownTrust))
		d, service := importing{wanted: trusting, sold: ofAnotherName}.begin(ctx)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(BeEmpty())
	})

	It("is asked about under unknownValues: Trust, where the offers cannot be read", func(ctx SpecContext) {
		trusting := both(fast, unknown(v1alpha1.UnknownTrust))
		noOffers := refusedFor("serviceId", "no.offers")
		d, service := importing{wanted: trusting, sold: ofAnotherName, offers: &noOffers}.begin(ctx)
		expectAwaiting(service, asked)
		Expect(d.sent()).To(BeEmpty())
	})

	It("is changed unasked under unknownValues: Request, and no offers are read", func(ctx SpecContext) {
		requesting := both(fast, unknown(v1alpha1.UnknownRequest))
		d, service := importing{wanted: requesting, sold: ofAnotherName}.begin(ctx)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(1))
		Expect(d.quotes()).To(BeZero())
	})
})
