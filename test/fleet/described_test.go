// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// otherMethods is how many services of an import have another aggregation method.
var otherMethods = max(1, services*3/100)

// describedIDs adds the services to the carrier's records, and returns their ids.
func describedIDs(w *world.World) []int64 {
	added := 0
	return lines(w, services, func(line *simulator.Service) {
		line.Plan, line.AggregationMethod = world.PlanFast, "L2TP"
		added++
		if added <= otherMethods {
			line.AggregationMethod = "ETHERNET"
		}
	})
}

// expectAllKnown checks that each of the four values of each service is known from its description,
// and returns how many are shown as different.
func expectAllKnown(ctx context.Context, w *world.World) (differing int) {
	GinkgoHelper()
	var list v1alpha1.BroadbandServiceList
	Expect(w.List(ctx, &list, client.InNamespace(w.Namespace))).To(Succeed())
	for i := range list.Items {
		state := list.Items[i].Status.Carrier
		for _, known := range []*v1alpha1.KnownValue{
			state.Plan, state.RestorationSLA, state.AggregationMethod, state.DSLStabilityProfile,
		} {
			Expect(known).NotTo(BeNil())
			Expect(known.Source).To(Equal(v1alpha1.SourceService))
		}
		synced := world.Condition(list.Items[i].Status.Conditions, v1alpha1.ConditionAggregationSynced)
		if synced.Status == metav1.ConditionFalse {
			Expect(synced.Message).To(ContainSubstring(`aggregationMethod "ETHERNET" → "L2TP"`))
			differing++
		}
	}
	return differing
}

var _ = Describe(fmt.Sprintf("%d services imported from a carrier that describes them", services), func() {
	It("cost one GET each and no POST, nobody is asked, and what differs is named", func(ctx SpecContext) {
		f := newFleetOf(ctx, func(account *v1alpha1.CarrierAccount) {
			byDefault(account)
			account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
		}, func(seed *simulator.Seed) { seed.Extensions = []string{simulator.ExtensionServiceRead} })
		ids, watch := describedIDs(f.world), f.measure()
		f.create(ctx, ids, declareAll, func(spec *v1alpha1.BroadbandServiceSpec) {
			spec.DSLStabilityProfile, spec.Observe.ServiceInterval = "Standard", "9000h"
		})
		f.await(ctx, map[string]int{"True InSync": services - otherMethods, "False AwaitingApproval": otherMethods})
		run := watch.end(f.manager)
		run.print(services, fmt.Sprintf("%d services imported with ServiceRead: %d other methods", services, otherMethods))

		Expect(expectAllKnown(ctx, f.world)).To(Equal(otherMethods))
		Expect(run.sent.sent()).To(BeEmpty(), "POSTs")
		// Before a change, the operator reads whether the service has been cancelled.
		Expect(run.sent.polls).To(And(HaveLen(2), HaveKeyWithValue(simulator.OpServiceRead, services),
			HaveKeyWithValue(simulator.OpCancellationRead, otherMethods)))
		Expect(run.writes.Done["update broadbandservices/status"]).To(BeNumerically("<=", services))
		Expect(run.failures).To(BeZero(), "passes that ended in an error")
	})
})
