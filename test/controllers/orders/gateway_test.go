// SPDX-License-Identifier: Apache-2.0

package orders_test

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

var _ = DescribeTable("A gateway's page after an order was processed is no refusal, and a retry does not order again",
	func(ctx SpecContext, status int) {
		w, process := fixture.Begin(ctx)
		page := simulator.Fault{Kind: simulator.FaultPage, Status: status, Processed: true}
		Expect(w.Carrier.FailNext("POST OrderCreate", page)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		message := fixture.OrderCondition(order, v1alpha1.ConditionReady).Message
		Expect(message).To(ContainSubstring("is not the carrier's"))
		Expect(message).NotTo(ContainSubstring("wholesale.broadband/retry"))

		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationRetry, order.Status.Request.AttemptID)
		w.Clock.Advance(fixture.Horizon)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	},
	Entry("with 400", 400),
	Entry("with 403", 403),
	Entry("with 404", 404),
	Entry("with 405", 405),
	Entry("with 406", 406),
	Entry("with 413", 413),
)

var _ = DescribeTable("An identity provider whose gateway answers with a page",
	func(ctx SpecContext, status int) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		process := w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		page := simulator.Fault{Kind: simulator.FaultPage, Status: status, Times: 3}
		Expect(w.Carrier.FailNext("Token", page)).To(Succeed())
		w.Clock.Advance(250 * time.Second) // the token is refreshed then
		for w.Carrier.Armed() > 0 {
			result, err := process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			ready := world.Condition(w.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionReady)
			Expect(ready.Status).To(Equal(metav1.ConditionTrue), "%s", ready.Message)
			w.Clock.Advance(min(max(result.RequeueAfter, time.Second), 5*time.Second))
		}
	},
	Entry("with 403", 403),
	Entry("with 404", 404),
)
