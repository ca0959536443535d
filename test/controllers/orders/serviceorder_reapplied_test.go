// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Two orders with one customerReference", func() {
	It("are one order and a Conflict, until the first is deleted", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		first := process.DriveOrder(ctx, site)
		Expect(w.Create(ctx, w.Order("second", fixture.Reference))).To(Succeed())
		second := process.DriveOrder(ctx, "second")
		fixture.ExpectOrder(second, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(fixture.OrderCondition(second, v1alpha1.ConditionReady).Message).To(ContainSubstring(w.Namespace + "/" + site))

		Expect(w.Delete(ctx, first)).To(Succeed())
		second = process.DriveOrder(ctx, "second")
		fixture.ExpectOrder(second, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(second.Status.OrderID).To(Equal(first.Status.OrderID))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("are two orders if the bytes differ", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		for name, bytes := range map[string]string{"upper": "SITE", "lower": "site"} {
			Expect(w.Create(ctx, w.Order(name, bytes))).To(Succeed())
			fixture.ExpectOrder(process.DriveOrder(ctx, name), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
			Expect(w.Ordered(bytes).Seen).To(Equal(1))
		}
	})
})

var _ = Describe("A deleted order that is applied again", func() {
	apply := func(
		ctx SpecContext, edits ...fixture.OrderEdit,
	) (*world.World, *v1alpha1.ServiceOrder, *v1alpha1.ServiceOrder) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		before := process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, before)).To(Succeed())
		Expect(process.DriveOrder(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, edits...))).To(Succeed())
		after := w.Start(world.CrashPoint{})
		_, err := after.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		return w, before, after.DriveOrder(ctx, site)
	}

	It("takes over its order", func(ctx SpecContext) {
		w, before, after := apply(ctx)
		fixture.ExpectOrder(after, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(after.UID).NotTo(Equal(before.UID))
		Expect(after.Status.Fees).To(Equal(before.Status.Fees))
		Expect(after.Status.OrderID).To(Equal(before.Status.OrderID))
		Expect(after.Status.Frozen).To(BeTrue())
		Expect(after.Status.Address).To(BeEmpty(), "the ledger does not keep where people live")
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
		Expect(fixture.LedgerOf(ctx, w).Spec.Holder.UID).To(Equal(string(after.UID)))
	})

	It("takes over only the service that the carrier has reported", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, func(o *v1alpha1.ServiceOrder) { o.Spec.ServiceID = "4711" }))).
			To(Succeed())
		before := process.DriveOrder(ctx, site)
		Expect(before.Status.ServiceID).To(Equal(v1alpha1.CarrierID("4711")))
		Expect(fixture.LedgerOf(ctx, w).Spec.Known.Order.ServiceID).To(BeEmpty())
		Expect(w.Delete(ctx, before)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		Expect(process.DriveOrder(ctx, site).Status).To(And(
			HaveField("OrderID", before.Status.OrderID), HaveField("ServiceID", BeEmpty())))
	})

	It("is not sent when its spec differs", func(ctx SpecContext) {
		w, before, after := apply(ctx, func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanSlow })
		fixture.ExpectOrder(after, metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)
		Expect(fixture.OrderCondition(after, v1alpha1.ConditionReady).Message).To(ContainSubstring(
			string(before.Status.OrderID)))
		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanFast })
		process := w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("is the same order with another contact", func(ctx SpecContext) {
		w, _, after := apply(ctx, func(o *v1alpha1.ServiceOrder) { o.Spec.Contact.Phone = "0400 999 999" })
		fixture.ExpectOrder(after, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("takes over its order in another namespace", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		before := process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, before)).To(Succeed())
		Expect(process.DriveOrder(ctx, site)).To(BeNil())

		elsewhere := *w
		elsewhere.Namespace = w.Namespace + "-b"
		Expect(w.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: elsewhere.Namespace}})).To(Succeed())
		elsewhere.Login(ctx)
		other := elsewhere.Start(world.CrashPoint{})
		_, err := other.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Create(ctx, elsewhere.Order(site, fixture.Reference))).To(Succeed())
		after := other.DriveOrder(ctx, site)
		fixture.ExpectOrder(after, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(after.Status.OrderID).To(Equal(before.Status.OrderID))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})
})
