// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

type appointmentEdit = func(*v1alpha1.AppointmentRequest)

// createAppointment drives a new AppointmentRequest until it is settled.
func createAppointment(
	ctx context.Context, w *world.World, process *world.Process, edits ...appointmentEdit,
) *v1alpha1.AppointmentRequest {
	GinkgoHelper()
	Expect(w.Create(ctx, w.Appointment(site, edits...))).To(Succeed())
	return process.DriveAppointment(ctx, site)
}

// reconcileAppointment runs one pass that must succeed.
func reconcileAppointment(ctx context.Context, w *world.World, process *world.Process) *v1alpha1.AppointmentRequest {
	GinkgoHelper()
	_, err := process.ReconcileAppointment(ctx, site)
	Expect(err).NotTo(HaveOccurred())
	return w.ReadAppointment(ctx, site)
}

func expectAppointment(appointment *v1alpha1.AppointmentRequest, status metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	Expect(appointment).NotTo(BeNil())
	ready := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
	Expect(string(ready.Status)+"/"+ready.Reason).To(Equal(string(status)+"/"+reason), ready.Message)
}

func expectSlots(w *world.World, appointment *v1alpha1.AppointmentRequest) {
	GinkgoHelper()
	expectAppointment(appointment, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	Expect(appointment.Status.Slots).NotTo(BeEmpty())
	Expect(w.Uncancelled()).To(Equal([]string{string(appointment.Status.AppointmentRequestID)}))
}

func slotPosts(w *world.World) int {
	return w.Carrier.Submissions(simulator.OpAppointmentSlots, 0).Seen
}

func cancelPosts(w *world.World) int {
	return w.Carrier.Submissions(simulator.OpAppointmentCancel, 0).Seen
}

func dateFrom(day v1alpha1.Date) appointmentEdit {
	return func(a *v1alpha1.AppointmentRequest) { a.Spec.DateFrom = day }
}

func annotatedWith(key, value string) appointmentEdit {
	return func(a *v1alpha1.AppointmentRequest) { metav1.SetMetaDataAnnotation(&a.ObjectMeta, key, value) }
}

func ofOrder(name string) appointmentEdit {
	return func(a *v1alpha1.AppointmentRequest) {
		a.Spec.OrderID, a.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: name}
	}
}
