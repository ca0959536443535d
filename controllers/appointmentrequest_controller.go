// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
)

// AppointmentRequestReconciler reads the available technician slots for an order, and cancels the
// appointment-request that this query creates at the carrier.
type AppointmentRequestReconciler struct{ *Operator }

// +kubebuilder:rbac:groups=wholesale.broadband,resources=appointmentrequests,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=appointmentrequests/status,verbs=update
// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders,verbs=get;list;watch
// +kubebuilder:rbac:groups=core,resources=namespaces,verbs=get

// Reconcile takes one appointment-request as far as possible now.
func (r *AppointmentRequestReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	appointment := &v1alpha1.AppointmentRequest{}
	if err := r.Get(ctx, request.NamespacedName, appointment); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	p := r.newPass(appointment)
	if !appointment.DeletionTimestamp.IsZero() {
		return p.finalize(ctx)
	}
	return p.run(ctx)
}

func (r *AppointmentRequestReconciler) newPass(appointment *v1alpha1.AppointmentRequest) *appointmentPass {
	p := &appointmentPass{pass: &pass{Operator: r.Operator, subject: appointment}, appointment: appointment}
	p.kind = p
	return p
}

// RecordCancellation records that the carrier cancelled the appointment for an order, if the
// appointment-request is for this order; otherwise it does nothing.
func (r *AppointmentRequestReconciler) RecordCancellation(
	ctx context.Context, key client.ObjectKey, orderID v1alpha1.CarrierID, notification decide.Notification,
) error {
	return recordNotice(notification, func() error {
		appointment := &v1alpha1.AppointmentRequest{}
		if err := r.Protocol.Live.Get(ctx, key, appointment); err != nil {
			return fmt.Errorf("read AppointmentRequest %s: %w", key, err)
		}
		p := r.newPass(appointment)
		if err := p.begin(ctx); err != nil {
			return err
		}
		if appointments.OrderNumber(appointment, p.order) != orderID {
			return nil
		}
		status := &appointment.Status
		return p.writeNotice(ctx, appointments.NoticeOf(status.Cancelled), notification, func(notice *v1alpha1.Notice) {
			status.Cancelled = appointments.CancelledOf(notice, notification.Appointment)
		})
	})
}
