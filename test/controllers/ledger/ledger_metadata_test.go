// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// foreignKey is what other clients add to an object: a label, an annotation, a finalizer.
const foreignKey = "example.com/theirs"

// addForeignMetadata adds a label, an annotation and a finalizer with foreignKey to a ledger, as
// another client would.
func addForeignMetadata(ctx SpecContext, w *world.World, ledger *v1alpha1.RequestLedger) {
	GinkgoHelper()
	before := ledger.DeepCopy()
	ledger.Labels = map[string]string{foreignKey: "label"}
	metav1.SetMetaDataAnnotation(&ledger.ObjectMeta, foreignKey, "annotation")
	ledger.Finalizers = append(ledger.Finalizers, foreignKey)
	Expect(w.Patch(ctx, ledger, client.MergeFrom(before))).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		live := &v1alpha1.RequestLedger{}
		Expect(w.Get(ctx, client.ObjectKeyFromObject(ledger), live)).To(Succeed())
		before := live.DeepCopy()
		live.Finalizers = []string{v1alpha1.FinalizerMemory}
		Expect(w.Patch(ctx, live, client.MergeFrom(before))).To(Succeed())
	})
}

// expectForeignMetadata expects that a ledger has been written again since it was read, and still
// has what other clients added.
func expectForeignMetadata(ctx SpecContext, w *world.World, before *v1alpha1.RequestLedger) {
	GinkgoHelper()
	now := &v1alpha1.RequestLedger{}
	Expect(w.Get(ctx, client.ObjectKeyFromObject(before), now)).To(Succeed())
	Expect(now.UID).To(Equal(before.UID))
	Expect(now.Spec.Revision).To(BeNumerically(">", before.Spec.Revision))
	Expect(now.Finalizers).To(ConsistOf(v1alpha1.FinalizerMemory, foreignKey))
	Expect(now.Labels).To(HaveKeyWithValue(foreignKey, "label"))
	Expect(now.Annotations).To(HaveKeyWithValue(foreignKey, "annotation"))
}

var _ = Describe("Metadata that other clients set on a ledger is kept", func() {
	It("when the outcome of a change and the next intent are recorded (R30)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx,
			func(a *v1alpha1.CarrierAccount) { a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 9} })
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		ledger, login := fixture.ServiceLedger(ctx, w, line), loginLedger(ctx, w)
		addForeignMetadata(ctx, w, ledger)
		addForeignMetadata(ctx, w, login)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectForeignMetadata(ctx, w, ledger)

		ledger = fixture.ServiceLedger(ctx, w, line)
		w.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
		expectForeignMetadata(ctx, w, ledger)
		expectForeignMetadata(ctx, w, login)
	})

	It("when another object takes it over (R30)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		ledger := fixture.LedgerOf(ctx, w)
		addForeignMetadata(ctx, w, ledger)
		Expect(w.Delete(ctx, w.ReadOrder(ctx, site))).To(Succeed())
		Expect(w.Create(ctx, w.Order("again", fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, "again"), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(fixture.LedgerOf(ctx, w).Spec.Holder.Name).To(Equal("again"))
		expectForeignMetadata(ctx, w, ledger)
	})
})
