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
	wrong  = services / 50      // their number is no service of the account
	differ = services * 3 / 100 // they have another plan
	spelt  = services / 20      // health spells their plan differently from the carrier's offers
)

// imports adds the services to the carrier's records, and returns the ids that are declared.
func imports(w *world.World) []int64 {
	ids := make([]int64, 0, services)
	for i := range services {
		id := w.Line(func(line *simulator.Service) {
			line.Plan = world.PlanFast
			switch {
			case i < differ:
				line.Plan = world.PlanSlow
			case i < differ+spelt:
				line.Plan = "HOME FAST (100/20)"
			}
		})
		if i >= services-wrong {
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

// declaresAll declares what an import of a fleet declares.
func declaresAll(spec *v1alpha1.BroadbandServiceSpec) {
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

	It("cost nothing and change nothing before a person has answered", func(ctx SpecContext) {
		ids, watch := imports(f.world), f.begin()
		f.create(ctx, ids, declaresAll)
		f.await(ctx, map[string]int{"False NotFoundOrForbidden": wrong, "False AwaitingApproval": services - wrong})
		plans, all := pendingPlans(ctx, f.world)

		run := watch.end(f.manager)
		run.show(fmt.Sprintf("%d services imported with the defaults: %d wrong numbers, %d other plans, %d other spellings",
			services, wrong, differ, spelt))
		world.Figuresf("  waiting for approval of their plan: %d; of what is unknown alone: %d", plans, all-plans)
		Expect([]int{plans, all}).To(Equal([]int{differ + spelt, services - wrong}))
		Expect(run.sent.sent()).To(And(HaveLen(2), HaveKeyWithValue(simulator.OpHealth, services),
			HaveKeyWithValue(simulator.OpPlanOptions, differ+spelt)))
		Expect(run.sent.polls[simulator.OpCancellationRead]).To(BeNumerically("<=", services))
		Expect(run.wrote.Done["update broadbandservices/status"]).To(BeNumerically("<=", 2*services))
		Expect(run.failures).To(BeZero(), "passes that ended in an error")
	})

	It("are taken as declared, but for known differences, by one command", func(ctx SpecContext) {
		watch := f.begin()
		f.manager = f.world.Manage(ctx, user)
		account := f.world.ReadAccount(ctx)
		account.Spec.UnknownValues = v1alpha1.UnknownTrust
		Expect(f.world.Update(ctx, account)).To(Succeed())
		f.await(ctx, map[string]int{
			"False NotFoundOrForbidden": wrong, "False AwaitingApproval": differ,
			"True InSync": services - wrong - differ,
		})
		run := watch.end(f.manager)
		run.show("the same after kubectl patch cacct default -p '{\"spec\":{\"unknownValues\":\"Trust\"}}'")
		Expect(run.sent.sent()).NotTo(HaveKey(simulator.OpPlanChange))
		Expect(run.sent.sent()).NotTo(HaveKey(simulator.OpAggregationConversion))
	})
})
