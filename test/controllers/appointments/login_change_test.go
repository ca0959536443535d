// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A request in progress whose account has another login now", func() {
	It("is polled only once the account has the login back: a query", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Quotes().Build(w, 0))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, fixture.Quotes().Shot())
		Expect(err).NotTo(HaveOccurred())
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		calls := len(w.Carrier.Calls())
		fixture.Quotes().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "the same id is somebody else's there")

		fixture.RecreateAccount(ctx, w, process, w.URL)
		fixture.Quotes().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Quotes().Posts(w)).To(Equal(1))
	})

	It("is resolved by a person at once", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Quotes().Build(w, 0))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, fixture.Quotes().Shot())
		Expect(err).NotTo(HaveOccurred())
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		fixture.Quotes().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonConflict)

		fixture.Quotes().Annotate(ctx, w, v1alpha1.AnnotationResolve, fixture.Quotes().Request(ctx, w).AttemptID+"=Abandoned")
		fixture.Quotes().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAbandoned)
		Expect(fixture.Quotes().Posts(w)).To(Equal(1))
	})

	It("is polled only once the account has the login back: slots, which are not cancelled either",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
			reconcileAppointment(ctx, w, process)
			fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
			calls := len(w.Carrier.Calls())
			expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(w.Carrier.Calls()).To(HaveLen(calls))
			fixture.RecreateAccount(ctx, w, process, w.URL)
			expectSlots(w, process.DriveAppointment(ctx, site))

			fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
			w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
			expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(cancelPosts(w)).To(BeZero())
		})
})
