// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// accountsWith returns the accounts with the login of a ledger.
func (r *CarrierAccountReconciler) accountsWith(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Account == nil {
		return nil
	}
	by := client.MatchingFields{fieldAccountLogin: loginKey(ledger.Spec.Login)}
	return requestsFor(ctx, r, &v1alpha1.CarrierAccountList{}, by)
}

// continuations passes the changes after which a login continues another one, or has no ledger any
// more.
func continuations() builder.WatchesOption {
	return builder.WithPredicates(predicate.Funcs{
		CreateFunc: func(create event.CreateEvent) bool { return continuedIn(create.Object) != nil },
		UpdateFunc: func(update event.UpdateEvent) bool {
			return !equality.Semantic.DeepEqual(continuedIn(update.ObjectOld), continuedIn(update.ObjectNew))
		},
		DeleteFunc:  func(event.DeleteEvent) bool { return true },
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
}

func continuedIn(object client.Object) *v1alpha1.CarrierLogin {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is {
		return nil
	}
	return ledger.Continued()
}

// setup reconciles an account when a user changes it, when requeue is called for it, when the
// marker or the ledger of its login changes, and some time after it became less settled.
func (r *CarrierAccountReconciler) setup(mgr ctrl.Manager, workers workers) error {
	again := newQueue()
	r.enqueue = again.put
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(userChanges())).
		Watches(&v1alpha1.CarrierAccount{}, recheck(r.RecheckAfter)).
		Watches(&v1alpha1.RequestLedger{}, enqueueAll(r, &v1alpha1.CarrierAccountList{}), markerChanges()).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.accountsWith), continuations()).
		WatchesRawSource(again.source()).
		WithOptions(workers.of(&v1alpha1.CarrierAccount{})).
		Complete(r)
}
