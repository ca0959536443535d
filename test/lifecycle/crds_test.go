// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("CRDs that are removed and installed again", func() {
	for _, manager := range []struct {
		says    string
		restart bool
	}{
		{"by the manager that ran meanwhile", false},
		{"by a manager that starts afterwards", true},
	} {
		It("have every order and the change under way found again, and none sent twice, "+manager.says,
			func(ctx SpecContext) {
				// A control plane of its own: others hold objects that no manager would let go.
				own, err := world.StartControlPlane(ctx)
				Expect(err).NotTo(HaveOccurred())
				DeferCleanup(own.Stop)
				Expect(own.GrantRoles(ctx, user)).To(Succeed())
				w := world.NewInRealTime(ctx, own, realTime, holding)
				first := w.Manage(ctx, user)
				s := reach(ctx, w)

				own.DeleteCRDs()
				s.awaitDeletion(ctx, underWay)
				s.answer()
				own.AwaitNoCRDs(ctx)
				s.expectTold(ctx)
				if manager.restart {
					first.End()
				}
				own.InstallCRDs()
				if manager.restart {
					w.Manage(ctx, user)
				}

				s.apply(ctx)
				s.expectMemory(ctx)
				s.expectSentOnce()
			})
	}
})

// expectTold: whoever deletes is told what goes on at the carrier. Whether the appointment-
// request is cancelled depends on whether its account is there longer than it is: if not,
// that is said too.
func (s *stages) expectTold(ctx SpecContext) {
	GinkgoHelper()
	wanted := map[string][]string{"OrderGoesOn": {accepted, lost, underWay}, "RequestInFlight": {site}}
	if len(s.Uncancelled()) > 0 {
		wanted["AppointmentNotCancelled"] = []string{technician}
	}
	soon(ctx, func(g Gomega) {
		var events eventsv1.EventList
		g.Expect(s.List(ctx, &events, client.InNamespace(s.Namespace))).To(Succeed())
		told := map[string][]string{}
		for _, event := range events.Items {
			if event.Type == corev1.EventTypeWarning && event.Action == "Delete" {
				told[event.Reason] = append(told[event.Reason], event.Regarding.Name)
			}
		}
		for reason, names := range wanted {
			g.Expect(told[reason]).To(ConsistOf(names), reason)
		}
	})
}
