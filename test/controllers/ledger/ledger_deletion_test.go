// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"context"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// deletedLedger is a ledger that is being deleted, and a running manager.
type deletedLedger struct {
	*world.World

	name string
}

// ledger returns the ledger; nil once it is gone.
func (l deletedLedger) ledger(ctx context.Context) *v1alpha1.RequestLedger {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{}
	err := l.Get(ctx, client.ObjectKey{Name: l.name}, ledger)
	if apierrors.IsNotFound(err) {
		return nil
	}
	Expect(err).NotTo(HaveOccurred())
	return ledger
}

// awaitKept waits until an Event of the ledger reports why it is kept.
func (l deletedLedger) awaitKept(ctx context.Context, why string) {
	GinkgoHelper()
	Eventually(ctx, func() []eventsv1.Event {
		var events eventsv1.EventList
		Expect(l.List(ctx, &events)).To(Succeed())
		return events.Items
	}).WithTimeout(time.Minute).Should(ContainElement(And(
		HaveField("Regarding.Name", l.name), HaveField("Reason", "LedgerKept"), HaveField("Note", ContainSubstring(why)))))
	Expect(l.ledger(ctx)).NotTo(BeNil())
}

func (l deletedLedger) annotate(ctx context.Context, value string) {
	GinkgoHelper()
	ledger := l.ledger(ctx)
	before := ledger.DeepCopy()
	metav1.SetMetaDataAnnotation(&ledger.ObjectMeta, v1alpha1.AnnotationForget, value)
	Expect(l.Patch(ctx, ledger, client.MergeFrom(before))).To(Succeed())
}

var _ = Describe("A deleted RequestLedger", func() {
	It("is kept until nothing depends on it and a person has set the forget annotation (R3)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		l := deletedLedger{w, decide.LedgerName(&v1alpha1.RequestLedgerSpec{
			Login: w.Account().Login(), Service: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(line)},
		})}
		manager := w.Manage(ctx, fixture.User)
		Expect(w.Delete(ctx, l.ledger(ctx))).To(Succeed())
		l.awaitKept(ctx, v1alpha1.AnnotationForget+"="+l.name)

		l.annotate(ctx, l.name)
		l.awaitKept(ctx, "BroadbandService "+w.Namespace+"/"+site+" uses this ledger")
		w.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		Eventually(ctx, func() string { return world.Ready(w.Read(ctx, site)).Reason }).WithTimeout(time.Minute).
			Should(Equal(v1alpha1.ReasonLedgerDeleting))
		Expect(world.Ready(w.Read(ctx, site)).Message).To(ContainSubstring("kubectl get ledger " + l.name))
		Expect(w.Posts(line)).To(Equal(1))

		By("deleting the object that depends on it")
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Eventually(ctx, func() *v1alpha1.RequestLedger { return l.ledger(ctx) }).WithTimeout(time.Minute).Should(BeNil())

		By("applying it again: a forgotten ledger is not lost")
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanSlow, 12)))).To(Succeed())
		Eventually(ctx, func() string {
			manager.AdvanceWhenIdle(time.Second)
			return world.Ready(w.Read(ctx, site)).Reason
		}).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonInSync))
		Expect(l.ledger(ctx).DeletionTimestamp).To(BeNil())
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("is closed, and no attempt is opened in it (R3)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		l := deletedLedger{w, service.Status.Ledger.Name}
		Expect(w.Delete(ctx, l.ledger(ctx))).To(Succeed())
		w.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerDeleting)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is kept while it has an open attempt, or the annotation has another name (R3)", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		open := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Finalizers: []string{v1alpha1.FinalizerMemory}},
			Spec: v1alpha1.RequestLedgerSpec{
				Schema: v1alpha1.LedgerSchema, Login: w.Account().Login(), Revision: 1,
				Order: &v1alpha1.LedgerOrder{CustomerReference: w.Namespace},
			},
		}
		open.Name = decide.LedgerName(&open.Spec)
		open.Open(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "of-it", Phase: v1alpha1.PhaseOutcomeUnknown,
			Attempt: 1, Login: w.Account().Login(), Generation: 1, APIVersion: 8,
		})
		l := deletedLedger{w, open.Name}
		Expect(w.Create(ctx, open)).To(Succeed())
		w.Manage(ctx, fixture.User)
		Expect(w.Delete(ctx, open)).To(Succeed())
		l.annotate(ctx, l.name)
		l.awaitKept(ctx, "OrderCreate attempt of-it is OutcomeUnknown")

		l.annotate(ctx, "another")
		settled := l.ledger(ctx)
		given := settled.Spec.Open[0]
		given.Phase, given.EndedBy = v1alpha1.PhaseAbandoned, v1alpha1.EndedByPerson
		settled.Put(given)
		settled.Spec.Revision++
		Expect(w.Update(ctx, settled)).To(Succeed())
		l.awaitKept(ctx, v1alpha1.AnnotationForget+"="+l.name)
		l.annotate(ctx, l.name)
		Eventually(ctx, func() *v1alpha1.RequestLedger { return l.ledger(ctx) }).WithTimeout(time.Minute).Should(BeNil())
	})

	It("of diagnostic tests is kept while a test shows it (R3)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Test(fixture.Once, line))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		l := deletedLedger{w, fixture.TestsLedger(ctx, w, line).Name}
		w.Manage(ctx, fixture.User)
		Expect(w.Delete(ctx, l.ledger(ctx))).To(Succeed())
		l.annotate(ctx, l.name)
		l.awaitKept(ctx, "DiagnosticTest "+w.Namespace+"/"+fixture.Once+" uses this ledger")
		Expect(w.Delete(ctx, fixture.Tests().Read(ctx, w))).To(Succeed())
		Eventually(ctx, func() *v1alpha1.RequestLedger { return l.ledger(ctx) }).WithTimeout(time.Minute).Should(BeNil())
	})
})
