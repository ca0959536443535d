// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"fmt"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// pairs is the number of orders, and of services with a change each.
const pairs = 20

var _ = Describe("Two active managers, as when leader election fails", func() {
	It("send each order and each change exactly once", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		leaders := []string{user, "operator-2"}
		Expect(plane.GrantRoles(ctx, leaders[1])).To(Succeed())
		for _, leader := range leaders {
			const watch = "watch serviceorders"
			before := audit.Count(leader, watch)
			w.Manage(ctx, leader)
			Eventually(audit.Count).WithArguments(leader, watch).Should(BeNumerically(">", before),
				"neither is done before the other has started")
		}
		w.AwaitLogin(ctx, world.PollEverySecond)
		lines := make([]int64, pairs)
		for i := range pairs {
			lines[i] = w.Line()
			Expect(w.Create(ctx, w.Service(name(site, i), lines[i]))).To(Succeed())
			Expect(w.Create(ctx, w.Order(name(accepted, i), name(accepted, i)))).To(Succeed())
		}
		eventually(ctx, func(g Gomega) {
			g.Expect(states(ctx, w)).To(Equal(map[string]int{
				v1alpha1.ReasonInSync: pairs, v1alpha1.ReasonSubmitted: pairs,
			}))
		})

		once := simulator.Count{Seen: 1, Processed: 1}
		for i, line := range lines {
			Expect(w.Carrier.Submissions(simulator.OpPlanChange, line)).To(Equal(once))
			Expect(w.Ordered(name(accepted, i))).To(Equal(once))
		}
		for _, leader := range leaders {
			tally := audit.Tally(leader, w.Namespace)
			Expect(len(tally.Done)+len(tally.Failed)).To(BeNumerically(">", 0), "both were active")
			AddReportEntry("writes of "+leader, fmt.Sprintf("%v, refused: %v", tally.Done, tally.Failed))
		}
	})
})

var _ = Describe("A leader and a standby", func() {
	It("warn once of what continues after a deletion", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		w.Election = true
		w.Manage(ctx, user)
		w.Manage(ctx, user)
		w.AwaitLogin(ctx, world.PollEverySecond)
		order := w.Order(accepted, accepted)
		Expect(w.Create(ctx, order)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, order)

		Expect(w.Delete(ctx, order)).To(Succeed())

		warnings := func(g Gomega) {
			var events eventsv1.EventList
			g.Expect(w.List(ctx, &events, client.InNamespace(w.Namespace))).To(Succeed())
			g.Expect(events.Items).To(ContainElements(HaveField("Reason", "OrderContinues")))
			g.Expect(events.Items).NotTo(ContainElements(
				HaveField("Reason", "OrderContinues"), HaveField("Reason", "OrderContinues")), "of two managers")
			g.Expect(events.Items).NotTo(ContainElement(
				And(HaveField("Reason", "OrderContinues"), HaveField("Series", Not(BeNil())))), "of one manager")
		}
		eventually(ctx, warnings)
		Consistently(ctx, warnings).WithTimeout(3 * time.Second).Should(Succeed())
	})
})

func name(of string, i int) string { return fmt.Sprintf("%s-%d", of, i) }

// states counts the services and orders of a world by the reason of Ready.
func states(ctx SpecContext, w *world.World) map[string]int {
	GinkgoHelper()
	counts := map[string]int{}
	var services v1alpha1.BroadbandServiceList
	Expect(w.List(ctx, &services, client.InNamespace(w.Namespace))).To(Succeed())
	for i := range services.Items {
		counts[world.Ready(&services.Items[i]).Reason]++
	}
	var orders v1alpha1.ServiceOrderList
	Expect(w.List(ctx, &orders, client.InNamespace(w.Namespace))).To(Succeed())
	for i := range orders.Items {
		counts[world.Condition(orders.Items[i].Status.Conditions, v1alpha1.ConditionReady).Reason]++
	}
	return counts
}
