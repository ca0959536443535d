// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A request in progress whose account has another identity now", func() {
	It("is polled only once the account has the identity back: a query", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, quotes().build(w, 0))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, quotes().shot())
		Expect(err).NotTo(HaveOccurred())
		recreateWithIdentity(ctx, w, process, w.Namespace+"-2")
		calls := len(w.Carrier.Calls())
		quotes().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "the same id is somebody else's there")

		recreateWithIdentity(ctx, w, process, w.Namespace)
		quotes().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(quotes().posts(w)).To(Equal(1))
	})

	It("is resolved by a person at once", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, quotes().build(w, 0))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, quotes().shot())
		Expect(err).NotTo(HaveOccurred())
		recreateWithIdentity(ctx, w, process, w.Namespace+"-2")
		quotes().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonConflict)

		quotes().annotate(ctx, w, v1alpha1.AnnotationResolve, quotes().request(ctx, w).AttemptID+"=Abandoned")
		quotes().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAbandoned)
		Expect(quotes().posts(w)).To(Equal(1))
	})

	It("is polled only once the account has the identity back: slots, which are not cancelled either",
		func(ctx SpecContext) {
			w, process := begin(ctx)
			Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
			reconcileAppointment(ctx, w, process)
			recreateWithIdentity(ctx, w, process, w.Namespace+"-2")
			calls := len(w.Carrier.Calls())
			expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(w.Carrier.Calls()).To(HaveLen(calls))
			recreateWithIdentity(ctx, w, process, w.Namespace)
			expectSlots(w, process.DriveAppointment(ctx, site))

			recreateWithIdentity(ctx, w, process, w.Namespace+"-2")
			w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
			expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(cancelPosts(w)).To(BeZero())
		})
})
