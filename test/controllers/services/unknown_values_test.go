// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// withDefaultUnknownValues leaves an account's unknownValues to the default of the schema.
func withDefaultUnknownValues(account *v1alpha1.CarrierAccount) { account.Spec.UnknownValues = "" }

// withUnknownValues sets the policy for unknown values of a service.
func withUnknownValues(policy v1alpha1.UnknownValues) fixture.Edit {
	return func(service *v1alpha1.BroadbandService) { service.Spec.UnknownValues = policy }
}

// declareEverything declares a plan that the service has, and everything that no read returns.
func declareEverything(service *v1alpha1.BroadbandService) {
	service.Spec.Plan = &v1alpha1.Plan{Name: world.PlanSlow, Term: 12}
	service.Spec.RestorationSLA, service.Spec.AggregationMethod = world.SLAFast, "ETHERNET"
	service.Spec.DSLStabilityProfile = "Stable"
}

func withFastPlan(service *v1alpha1.BroadbandService) {
	service.Spec.Plan = &v1alpha1.Plan{Name: world.PlanFast, Term: 12}
}

// onRenamedPlan puts a service on a plan whose name in health differs from its name in the
// carrier's offers.
func onRenamedPlan(service *simulator.Service) { service.Plan = fixture.PlanInHealth }

// importing is an import of a service under the default of unknownValues.
type importing struct {
	wanted  fixture.Edit
	sold    func(*simulator.Service)       // nil: on copper
	account func(*v1alpha1.CarrierAccount) // nil: as the others in these tests
	offers  *simulator.Fault               // in the response for the plans on offer; nil: none
}

// begin imports the service, and reconciles it as far as possible.
func (i importing) begin(ctx context.Context) (pricedService, *v1alpha1.BroadbandService) {
	GinkgoHelper()
	var d pricedService
	d.World, d.process = fixture.Begin(ctx, withDefaultUnknownValues, fixture.OrNoop(i.account))
	if i.sold == nil {
		i.sold = fixture.OnCopper
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
func (d pricedService) trust(ctx context.Context, hash string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	d.Annotate(ctx, site, v1alpha1.AnnotationTrust, hash)
	return d.drive(ctx)
}

var _ = Describe("A declared value that cannot be read", func() {
	It("is neither requested nor trusted before a person decides, even under approval Automatic",
		func(ctx SpecContext) {
			d, service := importing{wanted: declareEverything}.begin(ctx)

			hash := expectAwaiting(service,
				"the carrier's API cannot report restorationSLA, aggregationMethod and dslStabilityProfile",
				`restorationSLA unknown → "Enhanced-8", plan.term unknown → "12", aggregationMethod`,
				"Whether the carrier offers it, and at which price, is read after that approval",
				fmt.Sprintf("trust them with: kubectl -n %s annotate --overwrite bbs site 'wholesale.broadband/trust=%s'",
					service.Namespace, service.Status.Pending.Hash))
			Expect(service.Status.Pending.Changes).To(HaveEach(HaveField("From", "")))
			Expect(service.Status.Pending.Changes).To(ContainElements(
				HaveField("Unknown", true), HaveField("Unknown", true), HaveField("Unknown", true)))
			Expect(d.sent()).To(BeEmpty())
			Expect(d.quotes()).To(BeZero())
			Expect(service.Status.Carrier.RestorationSLA).To(BeNil())

			By("a restart, after which it shows the same")
			d.process = d.Start(world.CrashPoint{})
			d.Clock.Advance(time.Hour)
			Expect(expectAwaiting(d.drive(ctx))).To(Equal(hash))

			By("the approval, after which the price is read and has to be approved")
			priced := expectAwaiting(d.approve(ctx, hash), "monthly unknown → 10.00 AUD",
				"the approval "+hash+" is for another plan of changes, or for another price")
			Expect(d.sent()).To(BeEmpty())

			By("the approval of the price, which sends all of it")
			expectApproved(ctx, d.approve(ctx, priced), priced, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(3))
		})

	It("is sent with its first approval if it is free of charge", func(ctx SpecContext) {
		d, service := importing{wanted: both(declareEverything, fixture.WithSLA(world.SLAStd))}.begin(ctx)
		hash := expectAwaiting(service)
		Expect(d.quotes()).To(BeZero())
		expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(3))
		Expect(d.quotes()).To(Equal(1))
	})

	It("is trusted once a person sets trust, even if the status is lost", func(ctx SpecContext) {
		d, service := importing{wanted: declareEverything}.begin(ctx)
		hash := expectAwaiting(service)

		service = d.trust(ctx, hash)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(world.Ready(service).Message).To(ContainSubstring("restoration SLA, aggregation method and " +
			"DSL stability profile trusted as declared, but never confirmed by the carrier"))
		Expect(service.Status.Handled.Trust).To(Equal(hash))
		Expect(service.Status.Carrier.RestorationSLA.Source).To(Equal(v1alpha1.SourceDeclared))
		service.Status = v1alpha1.BroadbandServiceStatus{}
		Expect(d.Status().Update(ctx, service)).To(Succeed())
		d.process = d.Start(world.CrashPoint{})
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(BeEmpty())
	})

	It("waits while a plan that differs is sent, if that needs no approval",
		func(ctx SpecContext) {
			d, service := importing{wanted: both(declareEverything, fixture.WithPlan(world.PlanFast, 12))}.begin(ctx)
			expectAwaiting(service, `aggregationMethod unknown → "ETHERNET", dslStabilityProfile unknown → "Stable"`)
			Expect(d.sent()).To(Equal([]simulator.Operation{simulator.OpPlanChange, simulator.OpPlanChange}),
				"the plan, and then the SLA, which its result has shown to differ")
			line, _ := d.Carrier.Service(d.line)
			Expect([]string{line.Plan, line.RestorationSLA}).To(Equal([]string{world.PlanFast, world.SLAFast}))
		})

	It("is shown together with a plan that has to be approved, and trusting it leaves the plan", func(ctx SpecContext) {
		d, service := importing{
			wanted:  both(declareEverything, fixture.WithPlan(world.PlanFast, 12)),
			account: func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalOnCost },
		}.begin(ctx)
		both := expectAwaiting(service, `plan.name "Home 50/20" → "Home 100/20"`, `restorationSLA unknown → "Enhanced-8"`)
		plan := expectAwaiting(d.trust(ctx, both), `plan.name "Home 50/20" → "Home 100/20"`, `plan.term unknown → "12"`)
		Expect(d.Read(ctx, site).Status.Pending.Changes).To(HaveExactElements(
			HaveField("Field", "plan.name"), HaveField("Field", "plan.term")))
		Expect(d.sent()).To(BeEmpty())

		By("the approval of the plan, whose result has another SLA than the trusted one")
		expectAwaiting(d.approve(ctx, plan), `restorationSLA "Standard" → "Enhanced-8"`)
		Expect(d.sent()).To(HaveLen(1))
	})

	It("is not trusted by an annotation for other values", func(ctx SpecContext) {
		d, service := importing{wanted: declareEverything}.begin(ctx)
		hash := expectAwaiting(service)
		other := expectAwaiting(d.declare(ctx, both(declareEverything, fixture.WithSLA(world.SLAStd))))
		service = d.trust(ctx, hash)
		Expect(expectAwaiting(service, "the annotation trust="+hash+" is for another plan of changes")).To(Equal(other))
		Expect(service.Status.Handled.Trust).To(BeEmpty())
	})

	It("is not trusted while its request is in progress", func(ctx SpecContext) {
		d, service := importing{wanted: fixture.Aggregated("ETHERNET")}.begin(ctx)
		hash := expectAwaiting(service)
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		fixture.DriveUntilAccepted(ctx, d.World, d.process)
		service = d.trust(ctx, hash)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Handled.Trust).To(BeEmpty())
		Expect(service.Status.Carrier.AggregationMethod.Source).To(Equal(v1alpha1.SourceChangeResult))
	})

	It("is trusted or requested for all services by one edit of their account", func(ctx SpecContext) {
		for _, answer := range []struct {
			policy   v1alpha1.UnknownValues
			requests int
		}{{v1alpha1.UnknownTrust, 0}, {v1alpha1.UnknownRequest, 3}} {
			d, service := importing{wanted: declareEverything}.begin(ctx)
			expectAwaiting(service)
			account := d.World.Account()
			Expect(d.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
			account.Spec.UnknownValues = answer.policy
			Expect(d.Update(ctx, account)).To(Succeed())
			_, err := d.process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(answer.requests))
		}
	})

	It("is treated by the policy of the service before that of its account", func(ctx SpecContext) {
		d, service := importing{wanted: both(declareEverything, withUnknownValues(v1alpha1.UnknownTrust))}.begin(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(BeEmpty())
	})
})

var _ = Describe("A plan that health names unlike any offer of the carrier", func() {
	const notOffered = `health shows the plan as "HOME FAST (100/20)", ` +
		`but the carrier is not known to offer a plan with that name`

	It("waits for a person even under approval Automatic, and is trusted once a person sets trust", func(ctx SpecContext) {
		d, service := importing{wanted: both(withFastPlan, fixture.ReadEvery("1h")), sold: onRenamedPlan}.begin(ctx)
		hash := expectAwaiting(service, notOffered, `plan.name "HOME FAST (100/20)" → "Home 100/20"`)
		Expect(d.quotes()).To(Equal(1))

		service = d.trust(ctx, hash)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(world.Ready(service).Message).To(ContainSubstring("plan trusted as declared"))
		Expect(service.Status.Carrier.Plan).To(HaveValue(And(
			HaveField("Value", world.PlanFast), HaveField("AsHealth", fixture.PlanInHealth),
			HaveField("Source", v1alpha1.SourceDeclared))))

		By("a restart and readings, which show the same")
		d.process = d.Start(world.CrashPoint{})
		fixture.Elapse(ctx, d.World, d.process, 2*time.Hour)
		fixture.ExpectReady(d.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		By("the carrier moving to another plan, which is drift")
		Expect(d.Carrier.SetPlan(d.line, world.PlanSlow)).To(Succeed())
		fixture.Elapse(ctx, d.World, d.process, 2*time.Hour)
		fixture.ExpectReady(d.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(d.sent()).To(BeEmpty())

		By("the carrier moving back")
		Expect(d.Carrier.SetPlan(d.line, fixture.PlanInHealth)).To(Succeed())
		fixture.Elapse(ctx, d.World, d.process, 2*time.Hour)
		fixture.ExpectReady(d.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})

	It("is changed once a person approves it", func(ctx SpecContext) {
		d, service := importing{wanted: withFastPlan, sold: onRenamedPlan}.begin(ctx)
		hash := expectAwaiting(service, notOffered)
		expectApproved(ctx, d.approve(ctx, hash), hash, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(Equal([]simulator.Operation{simulator.OpPlanChange}))
	})

	It("is trusted under unknownValues: Trust, if the offers could be read", func(ctx SpecContext) {
		trusting := both(withFastPlan, withUnknownValues(v1alpha1.UnknownTrust))
		d, service := importing{wanted: trusting, sold: onRenamedPlan}.begin(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(BeEmpty())
	})

	It("waits for a person under unknownValues: Trust, if the offers cannot be read", func(ctx SpecContext) {
		trusting := both(withFastPlan, withUnknownValues(v1alpha1.UnknownTrust))
		noOffers := fixture.RefusedFor("serviceId", "no.offers")
		d, service := importing{wanted: trusting, sold: onRenamedPlan, offers: &noOffers}.begin(ctx)
		expectAwaiting(service, notOffered)
		Expect(d.sent()).To(BeEmpty())
	})

	It("is changed without approval under unknownValues: Request, and no offers are read", func(ctx SpecContext) {
		requesting := both(withFastPlan, withUnknownValues(v1alpha1.UnknownRequest))
		d, service := importing{wanted: requesting, sold: onRenamedPlan}.begin(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(1))
		Expect(d.quotes()).To(BeZero())
	})
})
