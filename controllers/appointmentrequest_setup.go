// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// setup reconciles an appointment-request when a user changes it, when its account, its order or the
// marker changes, when the state of the admission policies changes, and some time after it became less
// settled.
func (r *AppointmentRequestReconciler) setup(mgr ctrl.Manager, workers workers) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.AppointmentRequest{}, builder.WithPredicates(userChanges())).
		Watches(&v1alpha1.AppointmentRequest{}, recheck(r.RecheckAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount),
			builder.WithPredicates(accountChanges())).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.ofOrder)).
		Watches(&v1alpha1.AppointmentRequest{}, whenDeleted(r.forget)).
		Watches(&v1alpha1.RequestLedger{}, enqueueAll(r, &v1alpha1.AppointmentRequestList{}), markerChanges()).
		WatchesRawSource(r.Policies.waiting(&v1alpha1.AppointmentRequestList{})).
		WithOptions(workers.of(&v1alpha1.AppointmentRequest{})).
		Complete(r)
}

// ofAccount returns the appointment-requests that use an account.
func (r *AppointmentRequestReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.of(ctx, fieldAccount, account)
}

// ofOrder returns the appointment-requests that refer to an order. They wait for its status, so
// every change of it counts.
func (r *AppointmentRequestReconciler) ofOrder(ctx context.Context, order client.Object) []reconcile.Request {
	return r.of(ctx, fieldOrderRef, order)
}

// forget drops what is remembered of a deleted object.
func (r *AppointmentRequestReconciler) forget(_ context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	return nil
}

// of returns the appointment-requests that name an object of their namespace in a field.
func (r *AppointmentRequestReconciler) of(
	ctx context.Context, field string, named client.Object,
) []reconcile.Request {
	return requestsFor(ctx, r, &v1alpha1.AppointmentRequestList{},
		client.InNamespace(named.GetNamespace()), client.MatchingFields{field: named.GetName()})
}
