// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// theirs is what other clients add to an object: a label, an annotation, a finalizer.
const theirs = "example.com/theirs"

// markAsTheirs adds these to a ledger, as another client.
func markAsTheirs(ctx SpecContext, w *world.World, ledger *v1alpha1.RequestLedger) {
	GinkgoHelper()
	before := ledger.DeepCopy()
	ledger.Labels = map[string]string{theirs: "label"}
	metav1.SetMetaDataAnnotation(&ledger.ObjectMeta, theirs, "annotation")
	ledger.Finalizers = append(ledger.Finalizers, theirs)
	Expect(w.Patch(ctx, ledger, client.MergeFrom(before))).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		live := &v1alpha1.RequestLedger{}
		Expect(w.Get(ctx, client.ObjectKeyFromObject(ledger), live)).To(Succeed())
		before := live.DeepCopy()
		live.Finalizers = []string{v1alpha1.FinalizerMemory}
		Expect(w.Patch(ctx, live, client.MergeFrom(before))).To(Succeed())
	})
}

// expectTheirs expects that a ledger was written since, and still has what other clients added.
func expectTheirs(ctx SpecContext, w *world.World, before *v1alpha1.RequestLedger) {
	GinkgoHelper()
	now := &v1alpha1.RequestLedger{}
	Expect(w.Get(ctx, client.ObjectKeyFromObject(before), now)).To(Succeed())
	Expect(now.UID).To(Equal(before.UID))
	Expect(now.Spec.Revision).To(BeNumerically(">", before.Spec.Revision))
	Expect(now.Finalizers).To(ConsistOf(v1alpha1.FinalizerMemory, theirs))
	Expect(now.Labels).To(HaveKeyWithValue(theirs, "label"))
	Expect(now.Annotations).To(HaveKeyWithValue(theirs, "annotation"))
}

var _ = Describe("What others put on a ledger survives", func() {
	It("that what became of a change is recorded, and the next intent (R30)", func(ctx SpecContext) {
		w, process := begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 9} })
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		inFlight(ctx, w, process)
		ledger, identity := serviceLedger(ctx, w, line), identityLedger(ctx, w, w.Namespace)
		markAsTheirs(ctx, w, ledger)
		markAsTheirs(ctx, w, identity)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectTheirs(ctx, w, ledger)

		ledger = serviceLedger(ctx, w, line)
		w.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
		expectTheirs(ctx, w, ledger)
		expectTheirs(ctx, w, identity)
	})

	It("that another object takes it over (R30)", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		ledger := ledgerOf(ctx, w)
		markAsTheirs(ctx, w, ledger)
		Expect(w.Delete(ctx, w.ReadOrder(ctx, site))).To(Succeed())
		Expect(w.Create(ctx, w.Order("again", reference))).To(Succeed())
		expectOrder(process.DriveOrder(ctx, "again"), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(ledgerOf(ctx, w).Spec.Holder.Name).To(Equal("again"))
		expectTheirs(ctx, w, ledger)
	})
})
