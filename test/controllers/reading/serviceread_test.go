// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"net/http"
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

// describedSite is a service whose account reads the carrier's description of it.
type describedSite struct {
	*settledSite

	from int // how many calls were made before the service was created
}

// beginDescribed logs in an account with the extension ServiceRead and default policies, at a carrier
// with some extensions, and adds a DSL service to the carrier's records.
func beginDescribed(
	ctx SpecContext, extensions []string, edits ...func(*v1alpha1.CarrierAccount),
) *describedSite {
	GinkgoHelper()
	w := world.New(ctx, fixture.Plane, func(seed *simulator.Seed) { seed.Extensions = extensions })
	w.Login(ctx, append([]func(*v1alpha1.CarrierAccount){func(account *v1alpha1.CarrierAccount) {
		account.Spec.Approval, account.Spec.UnknownValues = "", ""
		account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
	}}, edits...)...)
	line := w.Line(fixture.OnFast, fixture.WithSameHealthRecord,
		func(line *simulator.Service) { line.TechnologyType = "FTTN" })
	s := &describedSite{settledSite: &settledSite{World: w, process: w.Start(world.CrashPoint{}), line: line}}
	fixture.ReconcileAccount(ctx, w, s.process)
	return s
}

// described is the seed's list of extensions of a carrier that describes services.
func described() []string { return []string{simulator.ExtensionServiceRead} }

// declare creates the object that declares all four values, and lets a minute pass.
func (s *describedSite) declare(ctx SpecContext, edits ...fixture.Edit) *v1alpha1.BroadbandService {
	GinkgoHelper()
	s.from = len(s.Carrier.Calls())
	edits = append([]fixture.Edit{fixture.WithSLA(world.SLAStd), func(service *v1alpha1.BroadbandService) {
		service.Spec.AggregationMethod, service.Spec.DSLStabilityProfile = "L2TP", "Standard"
		service.Spec.Observe.ServiceInterval = "9000h" // the slots of an interval depend on the object's UID
	}}, edits...)
	Expect(s.Create(ctx, s.Service(site, s.line, edits...))).To(Succeed())
	return s.pass(ctx, time.Minute)
}

// describedHourly reads the description every hour.
func describedHourly(service *v1alpha1.BroadbandService) { service.Spec.Observe.ServiceInterval = "1h" }

// calls counts the calls of an operation about the service since it was declared, "" for all but those
// of logins.
func (s *describedSite) calls(operation simulator.Operation) (gets, posts int) {
	for _, call := range s.Carrier.Calls()[s.from:] {
		switch {
		case call.Operation != operation && operation != "", fixture.IsLogin(call):
		case call.Method == http.MethodPost && call.ServiceID == s.line:
			posts++
		case call.Method == http.MethodGet:
			gets++
		}
	}
	return gets, posts
}

func (s *describedSite) expectOneGet(operation simulator.Operation) {
	GinkgoHelper()
	gets, posts := s.calls(operation)
	Expect([]int{gets, posts}).To(Equal([]int{1, 0}), "GETs and POSTs of %q", operation)
}

// extensions is the condition of the account about its extensions.
func (s *describedSite) extensions(ctx SpecContext) metav1.Condition {
	GinkgoHelper()
	fixture.ReconcileAccount(ctx, s.World, s.process)
	account := &v1alpha1.CarrierAccount{}
	Expect(s.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: world.AccountName}, account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionExtensions)
}

// knownValues are the four values, with their sources.
func knownValues(service *v1alpha1.BroadbandService) []string {
	state := service.Status.Carrier
	var values []string
	for _, known := range []*v1alpha1.KnownValue{
		state.Plan, state.RestorationSLA, state.AggregationMethod, state.DSLStabilityProfile,
	} {
		if known == nil {
			values = append(values, "")
			continue
		}
		values = append(values, known.Value+" "+string(known.Source))
	}
	return values
}

var _ = Describe("A service that the carrier describes", func() {
	It("is imported by one GET, nobody is asked, and a restart reads nothing", func(ctx SpecContext) {
		s := beginDescribed(ctx, described())
		service := s.declare(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(knownValues(service)).To(Equal([]string{
			world.PlanFast + " Service", world.SLAStd + " Service", "L2TP Service", "Standard Service",
		}))
		Expect(service.Status.Carrier.LocationID).NotTo(BeEmpty())
		Expect(service.Status.Ledger).To(BeNil())
		s.expectOneGet("")
		Expect(s.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))

		s.restart()
		Expect(s.pass(ctx, time.Second).ResourceVersion).To(Equal(service.ResourceVersion))
		s.expectOneGet("")
	})

	It("is imported with what differs named, and nothing is sent for what needs no price", func(ctx SpecContext) {
		s := beginDescribed(ctx, described())
		service := s.declare(ctx, fixture.WithEthernet, func(service *v1alpha1.BroadbandService) {
			service.Spec.DSLStabilityProfile = "Stable"
		})
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		changes := service.Status.Pending.Changes
		Expect(changes).To(HaveLen(2))
		Expect([]string{changes[0].From, changes[0].To, changes[1].From, changes[1].To}).To(Equal(
			[]string{"L2TP", "ETHERNET", "Standard", "Stable"}))
		Expect(changes[0].Unknown || changes[1].Unknown).To(BeFalse())
		Expect(fixture.Condition(service, v1alpha1.ConditionPlanSynced).Status).To(Equal(metav1.ConditionTrue))
		Expect(fixture.Condition(service, v1alpha1.ConditionAggregationSynced).Status).To(Equal(metav1.ConditionFalse))
		s.expectOneGet(simulator.OpServiceRead)
		_, posts := s.calls("")
		Expect(posts).To(BeZero())
	})

	It("is read, but not changed, under Observe without any declared value", func(ctx SpecContext) {
		s := beginDescribed(ctx, described())
		service := s.declare(ctx, fixture.UnderManagement(v1alpha1.ManagementObserve), fixture.WithoutPlan,
			fixture.WithSLA(""),
			func(service *v1alpha1.BroadbandService) {
				service.Spec.AggregationMethod, service.Spec.DSLStabilityProfile = "", ""
			})
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonObserving)
		Expect(knownValues(service)).To(HaveEach(HaveSuffix(" Service")))
		s.expectOneGet("")
	})

	It("is read with the least version that has the call", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), func(account *v1alpha1.CarrierAccount) { account.Spec.APIVersion = 3 })
		fixture.ExpectReady(s.declare(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		for _, call := range s.Carrier.Calls()[s.from:] {
			Expect(call.Version).To(Equal(4))
		}
	})

	DescribeTable("shows exactly what somebody else has changed, and nothing is sent",
		func(ctx SpecContext, change simulator.Modification, conditionType, drift string) {
			s := beginDescribed(ctx, described())
			fixture.ExpectReady(s.declare(ctx, describedHourly), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			change.ServiceID = s.line
			Expect(s.Carrier.ModifyElsewhere(change)).To(Succeed())
			service := s.pass(ctx, 3*time.Hour)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
			Expect(fixture.Condition(service, v1alpha1.ConditionDrifted).Message).To(ContainSubstring(drift))
			fixture.ExpectAspect(service, conditionType, metav1.ConditionFalse, v1alpha1.ReasonDrifted)

			s.restart()
			Expect(s.pass(ctx, time.Second).ResourceVersion).To(Equal(service.ResourceVersion))
			_, posts := s.calls("")
			Expect(posts).To(BeZero())
		},
		Entry("plan", simulator.Modification{Operation: simulator.OpPlanChange, Plan: world.PlanSlow},
			v1alpha1.ConditionPlanSynced, `plan.name "`+world.PlanFast+`" → "`+world.PlanSlow+`"`),
		Entry("SLA", simulator.Modification{Operation: simulator.OpPlanChange, RestorationSLA: world.SLAFast},
			v1alpha1.ConditionRestorationSLASynced, `restorationSLA "`+world.SLAStd+`" → "`+world.SLAFast+`"`),
		Entry("aggregation method",
			simulator.Modification{Operation: simulator.OpAggregationConversion, AggregationMethod: "ETHERNET"},
			v1alpha1.ConditionAggregationSynced, `aggregationMethod "L2TP" → "ETHERNET"`),
		Entry("DSL profile",
			simulator.Modification{Operation: simulator.OpDSLStabilityProfileChange, DSLStabilityProfile: "Stable"},
			v1alpha1.ConditionDSLProfileSynced, `dslStabilityProfile "Standard" → "Stable"`),
	)

	It("has no drift once the spec declares the carrier's value, and changes if it then differs", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), func(account *v1alpha1.CarrierAccount) {
			account.Spec.Approval = v1alpha1.ApprovalAutomatic
		})
		s.declare(ctx, describedHourly)
		change := simulator.Modification{
			ServiceID: s.line, Operation: simulator.OpDSLStabilityProfileChange, DSLStabilityProfile: "Stable",
		}
		Expect(s.Carrier.ModifyElsewhere(change)).To(Succeed())
		fixture.ExpectReady(s.pass(ctx, 3*time.Hour), metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		s.Edit(ctx, site, func(service *v1alpha1.BroadbandService) { service.Spec.DSLStabilityProfile = "Stable" })
		expectNoDrift(s.pass(ctx, time.Second))

		s.Edit(ctx, site, func(service *v1alpha1.BroadbandService) { service.Spec.DSLStabilityProfile = "Standard" })
		expectNoDrift(s.pass(ctx, 5*time.Minute))
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{simulator.OpDSLStabilityProfileChange}))
	})

	It("is corrected where driftPolicy says so", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), func(account *v1alpha1.CarrierAccount) {
			account.Spec.Approval = v1alpha1.ApprovalAutomatic
		})
		s.declare(ctx, describedHourly, func(service *v1alpha1.BroadbandService) {
			service.Spec.DriftPolicy = v1alpha1.DriftCorrect
		})
		change := simulator.Modification{
			ServiceID: s.line, Operation: simulator.OpAggregationConversion, AggregationMethod: "ETHERNET",
		}
		Expect(s.Carrier.ModifyElsewhere(change)).To(Succeed())
		service := s.pass(ctx, 3*time.Hour)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{simulator.OpAggregationConversion}))
	})
})
