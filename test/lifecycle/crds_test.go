// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/util/sets"
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
				own := startOwn(ctx)
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

// startOwn starts a control plane for one test: the common one holds objects that no manager
// would let go.
func startOwn(ctx SpecContext) *world.ControlPlane {
	GinkgoHelper()
	own, err := world.StartControlPlane(ctx)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(own.Stop)
	Expect(own.GrantRoles(ctx, user)).To(Succeed())
	return own
}

// expectTold: whoever deletes is told what goes on at the carrier, at least once. Whether the
// appointment-request is cancelled depends on whether its account is there longer than it
// is: if not, that is said too.
func (s *stages) expectTold(ctx SpecContext) {
	GinkgoHelper()
	wanted := map[string]sets.Set[string]{
		"OrderGoesOn": sets.New(accepted, lost, underWay), "RequestInFlight": sets.New(site),
	}
	if len(s.Uncancelled()) > 0 {
		wanted["AppointmentNotCancelled"] = sets.New(technician)
	}
	soon(ctx, func(g Gomega) {
		var events eventsv1.EventList
		g.Expect(s.List(ctx, &events, client.InNamespace(s.Namespace))).To(Succeed())
		told := map[string]sets.Set[string]{}
		for _, event := range events.Items {
			if event.Type == corev1.EventTypeWarning && event.Action == "Delete" {
				names := told[event.Reason]
				told[event.Reason] = sets.New(event.Regarding.Name).Union(names)
			}
		}
		g.Expect(told).To(Equal(wanted))
	})
}
