// SPDX-License-Identifier: Apache-2.0

// Package appointments queries the slots of technician appointments, and cancels what a query has
// created at the carrier.
package appointments

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
)

// Reconciler reads the available technician slots for an order, and cancels the
// appointment-request that this query creates at the carrier.
type Reconciler struct{ *pass.Operator }

// +kubebuilder:rbac:groups=wholesale.broadband,resources=appointmentrequests,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=appointmentrequests/status,verbs=update
// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders,verbs=get;list;watch
// +kubebuilder:rbac:groups=core,resources=namespaces,verbs=get

// Reconcile takes one appointment-request as far as possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.AppointmentRequest{}
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	a := &appointment{object: object}
	p := pass.New(r.Operator, object, a.kind())
	if !object.DeletionTimestamp.IsZero() {
		return a.finalize(ctx, p)
	}
	return p.Run(ctx)
}

// RecordCancellation records that the carrier cancelled the appointment for an order, if the
// appointment-request is for this order; otherwise it does nothing.
func (r *Reconciler) RecordCancellation(
	ctx context.Context, key client.ObjectKey, orderID v1alpha1.CarrierID, notification decide.Notification,
) error {
	return pass.RecordNotice(notification, func() error {
		object := &v1alpha1.AppointmentRequest{}
		if err := r.Protocol.Live.Get(ctx, key, object); err != nil {
			return fmt.Errorf("read AppointmentRequest %s: %w", key, err)
		}
		a := &appointment{object: object}
		p := pass.New(r.Operator, object, a.kind())
		if err := p.Begin(ctx); err != nil {
			return err
		}
		if appointments.OrderNumber(object, a.order) != orderID {
			return nil
		}
		status := &object.Status
		return p.WriteNotice(ctx, appointments.NoticeOf(status.Cancelled), notification, func(notice *v1alpha1.Notice) {
			status.Cancelled = appointments.CancelledOf(notice, notification.Appointment)
		})
	})
}

// Setup reconciles an appointment-request when a user changes it, when its account, its order or
// the marker changes, when the state of the admission policies changes, and some time after it
// became less settled (see [watch.Recheck]).
func (r *Reconciler) Setup(mgr ctrl.Manager, workers watch.Workers) error {
	list := &v1alpha1.AppointmentRequestList{}
	return watch.Requests(mgr, r.Operator, workers, &v1alpha1.AppointmentRequest{}, list).
		Watches(&v1alpha1.ServiceOrder{}, watch.Naming(r, list, index.OrderRef)). // they wait for its status, too
		Watches(&v1alpha1.RequestLedger{}, watch.EnqueueAll(r, list), watch.MarkerChanges()).
		Complete(r)
}
