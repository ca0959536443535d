// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A query has no intent, so two managers can send one at the same time. The object has room for
// only one of the two responses.
var _ = It("Slots that two managers request at once leave an appointment-request that is reported (R15)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		other := w.Start(world.CrashPoint{})
		_, err := other.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		w.DuringPOST("/api/connect/orders/appointment-requests/request", func() { reconcileAppointment(ctx, w, other) })
		appointment := createAppointment(ctx, w, process)
		expectAppointment(appointment, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

		ids := w.Uncancelled()
		shown := string(appointment.Status.AppointmentRequestID)
		Expect(ids).To(And(HaveLen(2), ContainElement(shown)))
		left := slices.DeleteFunc(ids, func(id string) bool { return id == shown })
		Expect(w.Events.All()).To(ContainElement(And(
			HavePrefix("Warning LateAcceptance "), ContainSubstring("/"+left[0]+","))))
	})

// An administrator may remove the finalizer that would have kept the object.
var _ = It("Slots whose object is gone when they are accepted leave an appointment-request that is reported (R15)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		w.DuringPOST("/api/connect/orders/appointment-requests/request", func() {
			appointment := w.ReadAppointment(ctx, site)
			before := appointment.DeepCopy()
			appointment.Finalizers = nil
			Expect(w.Patch(ctx, appointment, client.MergeFrom(before))).To(Succeed())
			Expect(w.Delete(ctx, appointment)).To(Succeed())
		})
		Expect(createAppointment(ctx, w, process)).To(BeNil())

		left := w.Uncancelled()
		Expect(left).To(HaveLen(1))
		Expect(w.Events.All()).To(ContainElement(And(
			HavePrefix("Warning LateAcceptance "), ContainSubstring("/"+left[0]+", but the object was deleted"))))
	})
