// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An order of a carrier whose orders can be read", func() {
	It("shows what becomes of it until it is a service, and is then read no more", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		placed := f.place(ctx)
		Expect(placed.Status.CarrierStatus).To(Equal("OPEN"))
		Expect(placed.Status.Appointments).To(BeEmpty())
		Expect(f.looks()).To(BeZero(), "the response to the order says everything")

		half := f.follow(ctx, orderTakes/2)
		Expect(half.Status.CarrierStatus).To(Equal("IN_PROGRESS"))
		Expect(half.Status.Appointments).To(ConsistOf(And(
			ContainSubstring(`"status":"Booked"`), Not(ContainSubstring("Jo Doe")))))
		Expect(half.Status.ServiceID).To(BeEmpty())

		done := f.follow(ctx, orderTakes)
		fixture.ExpectOrder(done, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		created := f.Carrier.Orders()[1]
		Expect(done.Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(created.ServiceID)))
		Expect(done.Status.CarrierStatus).To(Equal("COMPLETED"))
		Expect(fixture.OrderCondition(done, v1alpha1.ConditionReady).Message).To(HaveSuffix(
			fmt.Sprintf("order %d, which has become service %d", created.ID, created.ServiceID)))
		Expect(fixture.LedgerOf(ctx, f.World).Spec.Known.Order.ServiceID).To(Equal(done.Status.ServiceID))

		before := f.looks()
		Expect(before).To(BeNumerically("<=", 25), "on a slow curve")
		Expect(f.pass(ctx)).To(BeZero())
		Expect(f.looks()).To(Equal(before))
		Expect(f.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
		Expect(f.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))
	})

	It("is not written for a read that shows nothing new", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		f.follow(ctx, orderTakes/2)
		order, ledger, looks := f.ReadOrder(ctx, site), fixture.LedgerOf(ctx, f.World), f.looks()
		f.follow(ctx, orderTakes/5)
		Expect(f.looks()).To(BeNumerically(">", looks))
		Expect(f.ReadOrder(ctx, site).ResourceVersion).To(Equal(order.ResourceVersion))
		Expect(fixture.LedgerOf(ctx, f.World).ResourceVersion).To(Equal(ledger.ResourceVersion))
	})

	It("is not read more often because the operator is restarted", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		f.follow(ctx, orderTakes/2)
		looks, written := f.looks(), f.ReadOrder(ctx, site).ResourceVersion
		for range 5 {
			f.restart(ctx)
			Expect(f.pass(ctx)).To(BeNumerically(">", time.Minute))
		}
		Expect(f.looks()).To(Equal(looks))
		Expect(f.ReadOrder(ctx, site).ResourceVersion).To(Equal(written))
		Expect(f.follow(ctx, orderTakes).Status.ServiceID).NotTo(BeEmpty())
	})

	It("stalls with the carrier's reason once it is rejected, and can be ordered again", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		placed := f.place(ctx)
		f.Clock.Advance(orderTakes / 2)
		Expect(f.Carrier.RejectOrder(placed.Status.OrderID.Number(), "no capacity\x1b[2J")).To(Succeed())
		order := f.follow(ctx, orderTakes)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
		Expect(order.Status.CarrierStatus).To(Equal("REJECTED"))
		Expect(order.Status.Rejection.Reason).To(HavePrefix("no capacity "))
		Expect(order.Status.Rejection.Unverified).To(BeFalse())
		ready := fixture.OrderCondition(order, v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("no capacity"))
		looks := f.looks()
		Expect(f.pass(ctx)).To(BeZero(), "it is over")
		Expect(f.looks()).To(Equal(looks))

		f.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, order.Status.Request.AttemptID+"=NotAccepted")
		f.pass(ctx)
		again := f.ReadOrder(ctx, site)
		fixture.ExpectOrder(again, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(again.Status.OrderID).NotTo(Equal(order.Status.OrderID))
		Expect(again.Status.Rejection).To(BeNil())
		Expect(f.Ordered(fixture.Reference).Processed).To(Equal(2))
	})

	It("shows what was read although its status was lost", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		done := f.follow(ctx, 2*orderTakes)
		lost := done.DeepCopy()
		lost.Status = v1alpha1.ServiceOrderStatus{}
		Expect(f.Status().Update(ctx, lost)).To(Succeed())
		f.pass(ctx)
		Expect(f.ReadOrder(ctx, site).Status.ServiceID).To(Equal(done.Status.ServiceID))
	})

	It("shows what was read once the ledger can be written", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		refused := 0
		f.process.Seam.Fault = func(effect world.Effect) error {
			if refused < 3 && strings.HasPrefix(effect.What, "update order-") {
				refused++
				return errors.New("refused")
			}
			return nil
		}
		f.Clock.Advance(orderTakes + time.Hour)
		for range 10 {
			if _, err := f.process.ReconcileOrder(ctx, site); err == nil {
				break
			}
			f.Clock.Advance(time.Second)
		}
		Expect(f.ReadOrder(ctx, site).Status.ServiceID).NotTo(BeEmpty())
		Expect(f.looks()).To(Equal(1))
	})
})
