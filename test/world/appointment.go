// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"net/http"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// Appointment builds an AppointmentRequest, a week ahead, for the order that the carrier has.
func (w *World) Appointment(name string, edits ...func(*v1alpha1.AppointmentRequest)) *v1alpha1.AppointmentRequest {
	order := PlacedOrderID
	return edited(&v1alpha1.AppointmentRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: v1alpha1.AppointmentRequestSpec{
			AccountRef: v1alpha1.AccountReference{Name: AccountName},
			OrderID:    v1alpha1.CarrierIDOf(order), DateFrom: "2026-03-09",
		},
	}, edits)
}

// ReadAppointment reads an AppointmentRequest from the API server; nil if it is gone.
func (w *World) ReadAppointment(ctx context.Context, name string) *v1alpha1.AppointmentRequest {
	ginkgo.GinkgoHelper()
	return lookUp[v1alpha1.AppointmentRequest](ctx, w, name)
}

// EditAppointment changes an AppointmentRequest as a user would.
func (w *World) EditAppointment(ctx context.Context, name string, edit func(*v1alpha1.AppointmentRequest)) {
	ginkgo.GinkgoHelper()
	change(ctx, w, name, edit)
}

// ReconcileAppointment runs one pass over an AppointmentRequest, which must leave it valid.
func (p *Process) ReconcileAppointment(ctx context.Context, name string) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	result, err := p.reconcile(ctx, p.reconcilers.Appointments, "AppointmentRequest", name)
	p.world.expectValidAppointment(ctx, name)
	return result, err
}

// expectValidAppointment checks the rules for every AppointmentRequest.
func (w *World) expectValidAppointment(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	appointment := w.ReadAppointment(ctx, name)
	if appointment == nil {
		return
	}
	for _, rule := range slices.Concat(slotRules(appointment), heldRules(appointment)) {
		gomega.Expect(rule.holds).To(gomega.BeTrue(), rule.text)
	}
}

// slotRules checks that what is shown belongs to the known appointment-request.
func slotRules(appointment *v1alpha1.AppointmentRequest) []rule {
	status := appointment.Status
	known, read := status.AppointmentRequestID != "", !status.Since.IsZero()
	chosen := status.Recommended == nil || slices.ContainsFunc(status.Slots, func(slot v1alpha1.Slot) bool {
		return slot.SlotID == status.Recommended.SlotID
	})
	return []rule{
		{known || !read && len(status.Slots) == 0, "slots are shown only of a known appointment-request"},
		{known == (status.DateFrom != ""), "a known appointment-request has a day"},
		{chosen, "the recommended slot is one of those shown"},
		{int(status.SlotCount) >= len(status.Slots) && len(status.Slots) <= 50, "at most 50 slots are shown"},
	}
}

// heldRules checks that Ready means the slots are for the declared day, and that an object whose
// appointment-request has to be cancelled has the finalizer.
func heldRules(appointment *v1alpha1.AppointmentRequest) []rule {
	status := appointment.Status
	current := Condition(status.Conditions, v1alpha1.ConditionReady).Status == metav1.ConditionTrue &&
		status.ObservedGeneration == appointment.Generation && appointment.DeletionTimestamp.IsZero()
	wanted := !status.Since.IsZero() && status.DateFrom == appointment.Spec.DateFrom
	mustCancel := status.AppointmentRequestID != "" && appointment.Spec.DeletionPolicy != v1alpha1.DeletionKeep
	return []rule{
		{!current || wanted, "Ready are the slots of the declared day"},
		{
			!mustCancel || controllerutil.ContainsFinalizer(appointment, v1alpha1.Finalizer),
			"an object whose appointment-request has to be cancelled has the finalizer",
		},
	}
}

// DriveAppointment runs passes over an AppointmentRequest, as Drive does for a service. It returns
// the settled object; nil if the object is gone or the process has ended.
func (p *Process) DriveAppointment(ctx context.Context, name string) *v1alpha1.AppointmentRequest {
	ginkgo.GinkgoHelper()
	if !p.drive(ctx, func() (ctrl.Result, error) { return p.ReconcileAppointment(ctx, name) }, nil) {
		return nil
	}
	return p.world.ReadAppointment(ctx, name)
}

// Uncancelled returns the appointment-requests that the carrier has accepted and that are not
// cancelled.
func (w *World) Uncancelled() []string {
	var order []string
	cancelled := map[string]bool{}
	for _, call := range w.Carrier.Calls() {
		switch {
		case call.Method != http.MethodPost || !call.Accepted:
		case call.Operation == simulator.OpAppointmentSlots:
			order = append(order, call.RequestID)
		case call.Operation == simulator.OpAppointmentCancel:
			cancelled[call.RequestID] = true
		}
	}
	var left []string
	for _, id := range order {
		if !cancelled[id] {
			left = append(left, id)
		}
	}
	return left
}
