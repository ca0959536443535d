// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
)

// Setup reconciles an appointment-request when a user changes it, when its account, its order or the
// marker changes, when the state of the admission policies changes, and some time after it became less
// settled.
func (r *Reconciler) Setup(mgr ctrl.Manager, workers watch.Workers) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.AppointmentRequest{}, builder.WithPredicates(watch.UserChanges())).
		Watches(&v1alpha1.AppointmentRequest{}, watch.Recheck(r.RecheckAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.naming(index.Account)),
			builder.WithPredicates(watch.AccountChanges())).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.naming(index.OrderRef))).
		Watches(&v1alpha1.AppointmentRequest{}, watch.WhenDeleted(r.forget)).
		Watches(&v1alpha1.RequestLedger{}, watch.EnqueueAll(r, &v1alpha1.AppointmentRequestList{}), watch.MarkerChanges()).
		WatchesRawSource(r.Policies.Waiting(&v1alpha1.AppointmentRequestList{})).
		WithOptions(workers.Options(&v1alpha1.AppointmentRequest{})).
		Complete(r)
}

// naming finds the appointment-requests that name an account or an order. They wait for the order's
// status, so every change of it counts.
func (r *Reconciler) naming(field string) handler.MapFunc {
	return watch.Naming(r, &v1alpha1.AppointmentRequestList{}, field)
}

// forget drops what is remembered of a deleted object.
func (r *Reconciler) forget(_ context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	return nil
}
