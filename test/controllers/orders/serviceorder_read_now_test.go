// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An accepted order is read at once", func() {
	It("if a person asks for it", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		f.Clock.Advance(orderTakes / 2)
		f.restart(ctx)
		f.AnnotateOrder(ctx, site, v1alpha1.AnnotationReconcile, "1")
		f.pass(ctx)
		Expect(f.looks()).To(Equal(1))
		Expect(f.ReadOrder(ctx, site).Status.CarrierStatus).To(Equal("IN_PROGRESS"))
		f.pass(ctx)
		Expect(f.looks()).To(Equal(1))
	})

	It("once more after three months, if a person asks for it", func(ctx SpecContext) {
		f := beginFollowed(ctx, func(seed *simulator.Seed) {
			seed.Delays[string(simulator.OpOrderCreate)] = simulator.Duration(100 * 24 * time.Hour)
		})
		f.place(ctx)
		f.Clock.Advance(91 * 24 * time.Hour)
		Expect(f.pass(ctx)).To(BeZero())
		order := f.ReadOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		ready := fixture.OrderCondition(order, v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("not become a service within 90 days"))
		looks := f.looks()
		f.Clock.Advance(10 * 24 * time.Hour)
		f.AnnotateOrder(ctx, site, v1alpha1.AnnotationReconcile, "1")
		f.pass(ctx)
		Expect(f.looks()).To(Equal(looks + 1))
		Expect(f.ReadOrder(ctx, site).Status.ServiceID).NotTo(BeEmpty())
	})

	It("if the carrier sends a notification about it", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		Expect(f.Create(ctx, f.EventsSecret())).To(Succeed())
		fixture.EditAccount(ctx, f.World, world.WithEvents(v1alpha1.SignatureHMAC))
		f.restart(ctx)
		receiver := f.process.StartReceiver()
		placed := f.place(ctx)
		f.Clock.Advance(orderTakes / 2)
		body := fmt.Sprintf(`{"eventType":"AppointmentCancelled","orderId":%s,"appointment":{"id":7}}`, placed.Status.OrderID)
		Expect(f.Notify(ctx, receiver, fixture.EventsPath(f.World), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
		f.pass(ctx)
		Expect(f.looks()).To(Equal(1))
		Expect(f.ReadOrder(ctx, site).Status.CarrierStatus).To(Equal("IN_PROGRESS"))
	})

	It("to verify an unsigned notification that it was rejected", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		Expect(f.Create(ctx, f.EventsSecret())).To(Succeed())
		fixture.EditAccount(ctx, f.World, world.WithEvents(v1alpha1.SignatureNone))
		f.restart(ctx)
		receiver := f.process.StartReceiver()
		placed := f.place(ctx)
		f.Clock.Advance(orderTakes)
		const rejected = `{"eventType":"OrderRejected","orderId":%s,"order":{"rejectedReason":"forged"}}`
		body := fmt.Sprintf(rejected, placed.Status.OrderID)
		Expect(f.Notify(ctx, receiver, fixture.EventsPath(f.World), "", body)).To(Equal(http.StatusAccepted))
		fixture.ExpectOrder(f.ReadOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
		f.pass(ctx)
		order := f.ReadOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Rejection).To(BeNil())
		Expect(order.Status.ServiceID).NotTo(BeEmpty())
	})
})

var _ = It("A service finds its number by its order, and is then managed", func(ctx SpecContext) {
	f := beginFollowed(ctx)
	Expect(f.Create(ctx, f.Service("line", 0, func(service *v1alpha1.BroadbandService) {
		service.Spec.ServiceID, service.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: site}
		service.Spec.Plan = &v1alpha1.Plan{Name: world.PlanSlow, Term: 12}
	}))).To(Succeed())
	f.place(ctx)
	fixture.ExpectReady(f.process.Drive(ctx, "line"), metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
	done := f.follow(ctx, 2*orderTakes)
	service := f.process.Drive(ctx, "line")
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(service.Status.ServiceID).To(Equal(done.Status.ServiceID))
	Expect(f.Posts(done.Status.ServiceID.Number())).To(Equal(1), "its plan was changed after it was connected")
})
