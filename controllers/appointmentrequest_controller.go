// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// AppointmentRequestReconciler reads the available technician slots for an order, and cancels the
// appointment-request that this creates at the carrier.
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
	p := r.over(appointment)
	if !appointment.DeletionTimestamp.IsZero() {
		return p.leave(ctx)
	}
	return p.run(ctx)
}

func (r *AppointmentRequestReconciler) over(appointment *v1alpha1.AppointmentRequest) *appointmentPass {
	p := &appointmentPass{pass: &pass{Operator: r.Operator, subject: appointment}, appointment: appointment}
	p.kind = p
	return p
}

// RecordCancellation records that the carrier canceled the appointment of an order, if the
// appointment-request is for this order; otherwise it does nothing.
func (r *AppointmentRequestReconciler) RecordCancellation(
	ctx context.Context, key client.ObjectKey, orderID v1alpha1.CarrierID, notification decide.Notification,
) error {
	return recorded(notification, func() error {
		appointment := &v1alpha1.AppointmentRequest{}
		if err := r.Protocol.Live.Get(ctx, key, appointment); err != nil {
			return fmt.Errorf("read AppointmentRequest %s: %w", key, err)
		}
		p := r.over(appointment)
		if err := p.begin(ctx); err != nil {
			return err
		}
		if decide.OrderNumber(appointment, p.order) != orderID {
			return nil
		}
		return p.note(ctx, &appointment.Status.Cancelled, notification)
	})
}

// setup reconciles an appointment-request when a user changes it, and when its account or its order
// changes.
func (r *AppointmentRequestReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.AppointmentRequest{}, builder.WithPredicates(wanted())).
		Watches(&v1alpha1.AppointmentRequest{}, recheck(r.DoubtAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount),
			builder.WithPredicates(otherAccount())).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.ofOrder)).
		Watches(&v1alpha1.AppointmentRequest{}, handler.EnqueueRequestsFromMapFunc(r.forget),
			builder.WithPredicates(gone())).
		Watches(&v1alpha1.RequestLedger{}, everyOne(r, &v1alpha1.AppointmentRequestList{}), ofMarker()).
		WithOptions(options).
		Complete(r)
}

// ofAccount returns the appointment-requests that use an account.
func (r *AppointmentRequestReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.those(ctx, account.GetNamespace(), func(spec v1alpha1.AppointmentRequestSpec) bool {
		return spec.AccountRef.Name == account.GetName()
	})
}

// ofOrder returns the appointment-requests that refer to an order. They wait for its status, so
// every change of it counts.
func (r *AppointmentRequestReconciler) ofOrder(ctx context.Context, order client.Object) []reconcile.Request {
	return r.those(ctx, order.GetNamespace(), func(spec v1alpha1.AppointmentRequestSpec) bool {
		return spec.OrderRef != nil && spec.OrderRef.Name == order.GetName()
	})
}

// forget drops what is remembered of a deleted object.
func (r *AppointmentRequestReconciler) forget(_ context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	return nil
}

func (r *AppointmentRequestReconciler) those(
	ctx context.Context, namespace string, meant func(v1alpha1.AppointmentRequestSpec) bool,
) []reconcile.Request {
	var all v1alpha1.AppointmentRequestList
	if err := r.List(ctx, &all, client.InNamespace(namespace)); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot list appointment-requests to look at")
		return nil
	}
	var requests []reconcile.Request
	for i := range all.Items {
		if meant(all.Items[i].Spec) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
		}
	}
	return requests
}
