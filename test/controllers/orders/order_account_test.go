// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// At another carrier, the number in the order is that of a stranger's service.
var _ = It("A service does not take its number from an order of another account", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	line := w.Line()
	Expect(w.Create(ctx, w.Order(fixture.OrderName, fixture.Reference, func(o *v1alpha1.ServiceOrder) {
		o.Spec.AccountRef.Name, o.Spec.ServiceID = "other", v1alpha1.CarrierIDOf(line)
	}))).To(Succeed())
	placed := w.ReadOrder(ctx, fixture.OrderName)
	placed.Status.Request = &v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, AttemptID: "a-1", Attempt: 1, Phase: v1alpha1.PhaseSucceeded,
	}
	Expect(w.Status().Update(ctx, placed)).To(Succeed())
	Expect(w.Create(ctx, w.Service(site, line, fixture.FromOrder))).To(Succeed())
	calls := len(w.Carrier.Calls())

	service := process.Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonInvalid)
	Expect(world.Ready(service).Message).To(ContainSubstring(
		"ServiceOrder order belongs to CarrierAccount other, but this object belongs to " + world.AccountName))
	Expect(service.Status.ServiceID).To(BeEmpty())
	Expect(w.Carrier.Calls()).To(HaveLen(calls))
})

// The status freezes the spec only after the POST.
var _ = It("A service takes over the term that was ordered, although the order was edited while it was being sent",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		w.DuringPOST(fixture.OrdersPath, func() {
			w.EditOrder(ctx, fixture.OrderName, func(o *v1alpha1.ServiceOrder) { o.Spec.Term = 24 })
		})
		Expect(w.Create(ctx, w.Order(fixture.OrderName, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, fixture.OrderName), metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		w.EditOrder(ctx, fixture.OrderName, func(o *v1alpha1.ServiceOrder) { o.Spec.ServiceID = v1alpha1.CarrierIDOf(line) })
		process.DriveOrder(ctx, fixture.OrderName)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanFast, 12), fixture.FromOrder))).To(Succeed())

		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Term).To(HaveValue(And(
			HaveField("Value", "12"), HaveField("Source", v1alpha1.SourceOrder))))
		Expect(w.Posts(line)).To(BeZero(), "it has the plan and the term that were ordered")
	})
