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

// recreateAs deletes the account and creates it again with another identity that a person has
// acknowledged.
func recreateAs(ctx SpecContext, w *world.World, process *world.Process, identity string) {
	GinkgoHelper()
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	Expect(w.Delete(ctx, account)).To(Succeed())
	Expect(w.Create(ctx, w.Account(func(a *v1alpha1.CarrierAccount) {
		a.Spec = account.Spec
		a.Spec.Identity = identity
	}))).To(Succeed())
	Expect(readyAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
}

var _ = Describe("A request under way whose account has another identity now", func() {
	It("is followed only once the account has the identity back: a question", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, quotes().build(w, 0))).To(Succeed())
		_, err := process.LookAt(ctx, quotes().shot())
		Expect(err).NotTo(HaveOccurred())
		recreateAs(ctx, w, process, w.Namespace+"-2")
		calls := len(w.Carrier.Calls())
		quotes().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "the same id is somebody else's there")

		recreateAs(ctx, w, process, w.Namespace)
		quotes().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(quotes().posts(w)).To(Equal(1))
	})

	It("is followed only once the account has the identity back: slots, which are not cancelled either",
		func(ctx SpecContext) {
			w, process := begin(ctx)
			Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
			look(ctx, w, process)
			recreateAs(ctx, w, process, w.Namespace+"-2")
			calls := len(w.Carrier.Calls())
			expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(w.Carrier.Calls()).To(HaveLen(calls))
			recreateAs(ctx, w, process, w.Namespace)
			expectOffered(w, process.DriveAppointment(ctx, site))

			recreateAs(ctx, w, process, w.Namespace+"-2")
			w.EditAppointment(ctx, site, from("2026-03-16"))
			expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(cancelPosts(w)).To(BeZero())
		})
})
