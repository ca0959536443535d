// SPDX-License-Identifier: Apache-2.0

package reading_test

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

// automatic makes an account send without approval.
func automatic(account *v1alpha1.CarrierAccount) { account.Spec.Approval = v1alpha1.ApprovalAutomatic }

// describedChange is one change of a service, and the POST that makes it.
type describedChange struct {
	edit      fixture.Edit
	operation simulator.Operation
}

// describedChanges has one for each value that the description of a service contains.
func describedChanges() map[string]describedChange {
	return map[string]describedChange{
		"plan": {fixture.WithPlan(world.PlanSlow, 12), simulator.OpPlanChange},
		"SLA":  {fixture.WithSLA(world.SLAFast), simulator.OpPlanChange},
		"aggregation method": {
			func(service *v1alpha1.BroadbandService) { service.Spec.AggregationMethod = "ETHERNET" },
			simulator.OpAggregationConversion,
		},
		"DSL profile": {
			func(service *v1alpha1.BroadbandService) { service.Spec.DSLStabilityProfile = "Stable" },
			simulator.OpDSLStabilityProfileChange,
		},
	}
}

// eachDescribedChange makes a table entry for each change.
func eachDescribedChange() []TableEntry {
	entries := make([]TableEntry, 0, len(describedChanges()))
	for name, change := range describedChanges() {
		entries = append(entries, Entry(name, change))
	}
	return entries
}

var _ = Describe("A modification that somebody else has requested", func() {
	DescribeTable("is seen before a POST, and waited for", func(ctx SpecContext, change describedChange) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		s.pass(ctx, 20*time.Minute)
		Expect(s.Carrier.ModifyElsewhere(simulator.Modification{
			ServiceID: s.line, Operation: simulator.OpPlanChange, For: simulator.Duration(12 * time.Minute),
		})).To(Succeed())
		s.Edit(ctx, site, change.edit)
		before := s.described()
		service := s.pass(ctx, 4*time.Minute)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonChangeInProgress)
		fixture.ExpectAspect(service, v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonChangeInProgress)
		Expect(s.postsSince(s.from)).To(BeEmpty())
		Expect(s.described()).To(Equal(before + 1))

		fixture.ExpectReady(s.pass(ctx, 40*time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{change.operation}))
	}, eachDescribedChange())

	It("costs no GET if the description is fresh", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx, func(service *v1alpha1.BroadbandService) { service.Spec.DSLStabilityProfile = "Stable" })
		s.pass(ctx, 5*time.Minute)
		Expect(s.postsSince(s.from)).To(Equal([]simulator.Operation{simulator.OpDSLStabilityProfileChange}))
		Expect(s.described()).To(Equal(1))
	})

	It("is looked at no more often than every five to thirty minutes", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		Expect(s.Carrier.ModifyElsewhere(simulator.Modification{
			ServiceID: s.line, Operation: simulator.OpPlanChange, For: simulator.Duration(24 * time.Hour),
		})).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		before := s.described()
		s.pass(ctx, 10*time.Hour)
		Expect(s.described() - before).To(BeNumerically("~", 21, 2))
		Expect(s.postsSince(s.from)).To(BeEmpty())
	})
})
