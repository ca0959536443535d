// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The services of an import that are not as declared.
var (
	wrongIDs       = services / 50      // their number is no service of the account
	otherPlans     = services * 3 / 100 // they have another plan
	otherSpellings = services / 20      // health spells their plan differently from the carrier's offers
)

// importedIDs adds the services to the carrier's records, and returns the ids that are declared.
func importedIDs(w *world.World) []int64 {
	ids := make([]int64, 0, services)
	for i := range services {
		id := w.Line(func(line *simulator.Service) {
			line.Plan = world.PlanFast
			switch {
			case i < otherPlans:
				line.Plan = world.PlanSlow
			case i < otherPlans+otherSpellings:
				line.Plan = "HOME FAST (100/20)"
			}
		})
		if i >= services-wrongIDs {
			id += 50_000_000 // mistyped
		}
		ids = append(ids, id)
	}
	return ids
}

// byDefault leaves the policies of the account to the schema's defaults.
func byDefault(account *v1alpha1.CarrierAccount) {
	account.Spec.Approval, account.Spec.UnknownValues = "", ""
}

// declareAll declares what an import of a fleet declares.
func declareAll(spec *v1alpha1.BroadbandServiceSpec) {
	spec.Plan = &v1alpha1.Plan{Name: world.PlanFast, Term: 12}
	spec.RestorationSLA, spec.AggregationMethod = world.SLAStd, "L2TP"
}

// pendingPlans counts the services whose plan waits for an approval, and those that show changes.
func pendingPlans(ctx context.Context, w *world.World) (plans, all int) {
	GinkgoHelper()
	var list v1alpha1.BroadbandServiceList
	Expect(w.List(ctx, &list, client.InNamespace(w.Namespace))).To(Succeed())
	for i := range list.Items {
		if pending := list.Items[i].Status.Pending; pending != nil {
			all++
			if pending.Changes[0].Field == "plan.name" {
				plans++
			}
		}
	}
	return plans, all
}

var _ = Describe(fmt.Sprintf("%d services imported with the defaults, some of them wrong", services), Ordered, func() {
	var f fleet

	BeforeAll(func(ctx SpecContext) { f = newFleetOf(ctx, byDefault) })

	It("cost nothing and change nothing before a person has decided", func(ctx SpecContext) {
		ids, watch := importedIDs(f.world), f.measure()
		f.create(ctx, ids, declareAll)
		f.await(ctx, map[string]int{"False NotFoundOrForbidden": wrongIDs, "False AwaitingApproval": services - wrongIDs})
		plans, all := pendingPlans(ctx, f.world)

		run := watch.end(f.manager)
		run.print(services, fmt.Sprintf(
			"%d services imported with the defaults: %d wrong numbers, %d other plans, %d other spellings",
			services, wrongIDs, otherPlans, otherSpellings))
		world.Figuresf("  waiting for approval of their plan: %d; of what is unknown alone: %d", plans, all-plans)
		Expect([]int{plans, all}).To(Equal([]int{otherPlans + otherSpellings, services - wrongIDs}))
		Expect(run.sent.sent()).To(And(HaveLen(2), HaveKeyWithValue(simulator.OpHealth, services),
			HaveKeyWithValue(simulator.OpPlanOptions, otherPlans+otherSpellings)))
		Expect(run.sent.polls[simulator.OpCancellationRead]).To(BeNumerically("<=", services))
		Expect(run.writes.Done["update broadbandservices/status"]).To(BeNumerically("<=", 2*services))
		Expect(run.failures).To(BeZero(), "passes that ended in an error")
	})

	It("are trusted as declared, except for known differences, by one command", func(ctx SpecContext) {
		watch := f.measure()
		f.manager = f.world.Manage(ctx, user)
		account := f.world.ReadAccount(ctx)
		account.Spec.UnknownValues = v1alpha1.UnknownTrust
		Expect(f.world.Update(ctx, account)).To(Succeed())
		f.await(ctx, map[string]int{
			"False NotFoundOrForbidden": wrongIDs, "False AwaitingApproval": otherPlans,
			"True InSync": services - wrongIDs - otherPlans,
		})
		run := watch.end(f.manager)
		run.print(services, "the same after kubectl patch cacct default -p '{\"spec\":{\"unknownValues\":\"Trust\"}}'")
		Expect(run.sent.sent()).NotTo(HaveKey(simulator.OpPlanChange))
		Expect(run.sent.sent()).NotTo(HaveKey(simulator.OpAggregationConversion))
	})
})
