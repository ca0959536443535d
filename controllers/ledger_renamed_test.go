// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sendAs creates the account again with another identity, as a user would.
func sendAs(ctx SpecContext, w *world.World, identity string, annotations map[string]string) *world.Process {
	GinkgoHelper()
	Expect(w.Delete(ctx, w.Account())).To(Succeed())
	Expect(w.Create(ctx, w.Account(func(a *v1alpha1.CarrierAccount) {
		a.Spec.Identity, a.Annotations = identity, annotations
	}))).To(Succeed())
	process := w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return process
}

var _ = It("An order whose ledger now has another name is lost, and is not sent again (R5)", func(ctx SpecContext) {
	w, process := begin(ctx)
	Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
	expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	before := w.ReadOrder(ctx, site).Status
	other := w.Namespace + "-2"

	By("changing the identity by mistake")
	process = sendAs(ctx, w, other, map[string]string{})
	order := process.DriveOrder(ctx, site)
	expectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted) // settled for any account
	Expect(order.Status.Ledger).To(Equal(before.Ledger))
	Expect(order.Status.Request).To(Equal(before.Request))
	process = sendAs(ctx, w, w.Namespace, map[string]string{})
	expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)

	By("changing it on purpose")
	process = sendAs(ctx, w, other, map[string]string{v1alpha1.AnnotationAcknowledge: other})
	order = process.DriveOrder(ctx, site)
	expectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
	Expect(orderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring("another identity"))
	Expect(order.Status.Ledger.Name).NotTo(Equal(before.Ledger.Name))
	process = w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
	Expect(w.Ordered(reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))

	w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, order.Status.Request.AttemptID+"=Succeeded")
	expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	Expect(w.Ordered(reference).Seen).To(Equal(1))
})
