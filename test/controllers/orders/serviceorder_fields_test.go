// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
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

// withDevices is the qualification result of a new site that lists three devices with their fees, two
// of which the plan allows.
var withDevices = strings.NewReplacer(
	`"infrastructureInstallationOptions": [{"option": "wholesale-tech", "recommended": true, "fees": [
    {"name": "NTD_INSTALLATION_FEE", "oneTimeCharge": {"amount": "300.00", "currency": "AUD"},
     "monthlyRecurringCharge": {"amount": "0.00", "currency": "AUD"}}]}]`,
	`"generationTwoNtds": [
    {"name": "1_PORT", "fees": [{"oneTimeCharge": {"amount": "0.00", "currency": "AUD"}}]},
    {"name": "4_PORT", "fees": [{"oneTimeCharge": {"amount": "50.00", "currency": "AUD"}}]},
    {"name": "4_PORT_RESIDENTIAL", "fees": [{"oneTimeCharge": {"amount": "100.00", "currency": "AUD"}}]}]`,
	`"name": "Home 100/20",`,
	`"name": "Home 100/20", "ntdOptions": [{"option": "1_PORT"}, {"option": "4_PORT_RESIDENTIAL"}],`,
).Replace(fixture.Qualified)

// beginWithOrderFields makes a world whose carrier has a word and the extension OrderFields, with an
// account that uses both.
func beginWithOrderFields(ctx context.Context, word string) (*world.World, *world.Process) {
	GinkgoHelper()
	w := world.NewWithWord(ctx, fixture.Plane, word, func(seed *simulator.Seed) {
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
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, withFurtherFields))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posted(fixture.OrdersPath)).To(ConsistOf(HaveSuffix(
			`"aggregationMethod":"L2TP","potsServiceOwner":false,"potsWaiver":true,"quoteName":"Q-1",` +
				`"ntdOption":"4_PORT_RESIDENTIAL","floors":2.50,"` + word + `Zone":"CBD"}`)))
	},
		Entry("of the specification's carrier", "wholesale"),
		Entry("of a carrier with a word of its own", "nbn"),
	)

	It("is refused unsent without the extension, and sent once the account has it", func(ctx SpecContext) {
		w, process := beginWithOrderFields(ctx, "wholesale")
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Extensions = nil })
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, withFurtherFields))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
		ready := fixture.OrderCondition(order, v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("add OrderFields to spec.extensions"))
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())

		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
			a.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderFields}
		})
		_, err = process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	})

	It("is another order with another extra field", func(ctx SpecContext) {
		w, process := beginWithOrderFields(ctx, "wholesale")
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, withFurtherFields))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, order)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, withFurtherFields, func(o *v1alpha1.ServiceOrder) {
			o.Spec.ExtraFields[0].Text = new("Rural")
		}))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("costs what its device costs, and is refused unsent with a device that the plan does not allow",
		func(ctx SpecContext) {
			w, process := beginWithOrderFields(ctx, "wholesale")
			Expect(w.Create(ctx, fixture.Result(w, withDevices))).To(Succeed())
			Expect(w.Create(ctx,
				w.Order(site, fixture.Reference, fixture.WithResult, fixture.OrderApproval(v1alpha1.ApprovalAlways),
					func(o *v1alpha1.ServiceOrder) { o.Spec.NTDOption = "4_PORT" }))).To(Succeed())
			order := process.DriveOrder(ctx, site)
			fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
			Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring(
				`ntdOption 4_PORT is not available at this site with plan "Home 100/20": use one of 1_PORT, 4_PORT_RESIDENTIAL`))

			for option, fee := range map[string]string{"1_PORT": "0.00", "4_PORT_RESIDENTIAL": "100.00"} {
				w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.NTDOption = option })
				order = process.DriveOrder(ctx, site)
				fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
				Expect(order.Status.Fees.Items).To(HaveExactElements(And(
					HaveField("Name", "NTD_INSTALLATION_FEE"), HaveField("OneTime.Amount", fee))))
			}
			Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
		})

	It("shows why the carrier refuses one of them", func(ctx SpecContext) {
		w, process := beginWithOrderFields(ctx, "wholesale")
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, withFurtherFields, func(o *v1alpha1.ServiceOrder) {
			o.Spec.NTDOption = "1_PORT"
		}))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(fixture.OrderCondition(order,
			v1alpha1.ConditionReady).Message).To(HavePrefix("constraints.order.ntd.option.invalid"))
	})
})
