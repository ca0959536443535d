// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// withFurtherFields gives an order every field of the extension OrderFields.
func withFurtherFields(order *v1alpha1.ServiceOrder) {
	spec := &order.Spec
	spec.PlanName, spec.NTDOption = world.PlanGiga, "4_PORT_RESIDENTIAL"
	spec.POTS, spec.QuoteName = &v1alpha1.POTS{Waiver: new(true)}, "Q-1"
	spec.ExtraFields = []v1alpha1.ExtraField{
		{Name: "wholesaleZone", Text: new("CBD")}, {Name: "floors", Number: new("2.50")},
	}
}

// beginWithOrderFields makes a world whose carrier has a word and the extension OrderFields, with an
// account that uses both.
func beginWithOrderFields(ctx context.Context, word string) (*world.World, *world.Process) {
	GinkgoHelper()
	w := world.NewWithWord(ctx, plane, word, func(seed *simulator.Seed) {
		seed.Extensions = []string{simulator.ExtensionOrderFields}
		seed.OrderFields = []string{"wholesaleZone", "floors"}
	})
	w.Login(ctx, func(a *v1alpha1.CarrierAccount) {
		a.Spec.Extensions, a.Spec.IdentifierWord = []v1alpha1.Extension{v1alpha1.ExtensionOrderFields}, word
	})
	process := w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return w, process
}

var _ = Describe("An order with fields that the specification does not have", func() {
	DescribeTable("is sent with them if the account has the extension", func(ctx SpecContext, word string) {
		w, process := beginWithOrderFields(ctx, word)
		Expect(w.Create(ctx, w.Order(site, reference, withFurtherFields))).To(Succeed())
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posted(ordersPath)).To(ConsistOf(HaveSuffix(
			`"aggregationMethod":"L2TP","potsServiceOwner":false,"potsWaiver":true,"quoteName":"Q-1",` +
				`"ntdOption":"4_PORT_RESIDENTIAL","floors":2.50,"` + word + `Zone":"CBD"}`)))
	},
		Entry("of the specification's carrier", "wholesale"),
		Entry("of a carrier with a word of its own", "nbn"),
	)

	It("is refused unsent without the extension, and sent once the account has it", func(ctx SpecContext) {
		w, process := beginWithOrderFields(ctx, "wholesale")
		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Extensions = nil })
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Create(ctx, w.Order(site, reference, withFurtherFields))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
		ready := orderCondition(order, v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("add OrderFields to spec.extensions"))
		Expect(w.Ordered(reference).Seen).To(BeZero())

		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
			a.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderFields}
		})
		_, err = process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	})

	It("is another order with another extra field", func(ctx SpecContext) {
		w, process := beginWithOrderFields(ctx, "wholesale")
		Expect(w.Create(ctx, w.Order(site, reference, withFurtherFields))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, order)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference, withFurtherFields, func(o *v1alpha1.ServiceOrder) {
			o.Spec.ExtraFields[0].Text = new("Rural")
		}))).To(Succeed())
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	})

	It("shows why the carrier refuses one of them", func(ctx SpecContext) {
		w, process := beginWithOrderFields(ctx, "wholesale")
		Expect(w.Create(ctx, w.Order(site, reference, withFurtherFields, func(o *v1alpha1.ServiceOrder) {
			o.Spec.NTDOption = "1_PORT"
		}))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(orderCondition(order, v1alpha1.ConditionReady).Message).To(HavePrefix("constraints.order.ntd.option.invalid"))
	})
})
