// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// W2 of the review: the API server refuses an Event with a note longer than 1,024 bytes, and no one
// notices.
var _ = Describe("An Event of a real manager", func() {
	It("is truncated if it is too long, and arrives (R18)", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		w.Manage(ctx, user)
		w.AwaitLogin(ctx, world.PollEverySecond)
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{
			Kind: simulator.FaultBody, Status: 422,
			Body: fmt.Sprintf(`{"httpStatusCode":422,"type":"business.rule","code":"too.long","message":%q}`,
				strings.Repeat("é", 1000)),
		})).To(Succeed())
		service := w.Service(site, w.Line())
		Expect(w.Create(ctx, service)).To(Succeed())
		eventually(ctx, func(g Gomega) {
			var events eventsv1.EventList
			g.Expect(w.List(ctx, &events, client.InNamespace(w.Namespace))).To(Succeed())
			g.Expect(events.Items).To(ContainElement(And(
				HaveField("Reason", "ServicePlanChangeRejected"), HaveField("Regarding.Name", site),
				HaveField("Note", And(
					HavePrefix(string(v1alpha1.OperationPlanChange)+" was refused: "), HaveSuffix("é…"),
					WithTransform(utf8.ValidString, BeTrue()),
					WithTransform(func(note string) int { return len(note) }, BeNumerically("~", 1024, 4)),
				)))))
		})
	})
})
