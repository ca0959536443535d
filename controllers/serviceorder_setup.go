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
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
)

// setup reconciles an order when a user changes it, when its account changes, when a notification
// about it arrives, when another object with its customerReference is deleted, when another process
// writes to its ledger, when the ledger is removed or goes back to an older revision, when another
// object becomes the ledger's holder, when the marker or the state of the admission policies changes,
// and some time after the order became less settled.
func (r *ServiceOrderReconciler) setup(mgr ctrl.Manager, notified *queue, workers workers) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.ServiceOrder{}, builder.WithPredicates(userChanges())).
		Watches(&v1alpha1.ServiceOrder{}, recheck(r.RecheckAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount),
			builder.WithPredicates(accountChanges())).
		Watches(&v1alpha1.ServiceOrder{}, whenDeleted(r.successors)).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.ofLedger),
			builder.WithPredicates(r.ledgerNews())).
		Watches(&v1alpha1.RequestLedger{}, exceptHolder(r.ofLedger), holderChanges()).
		WatchesRawSource(notified.source()).
		WatchesRawSource(r.Policies.waiting(&v1alpha1.ServiceOrderList{})).
		WithOptions(workers.of(&v1alpha1.ServiceOrder{})).
		Complete(r)
}

// ofAccount returns the orders that use an account.
func (r *ServiceOrderReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.list(ctx, client.InNamespace(account.GetNamespace()), client.MatchingFields{fieldAccount: account.GetName()})
}

// successors returns the other objects with the customerReference of a deleted object, in all
// namespaces, because one of them may take over the ledger.
func (r *ServiceOrderReconciler) successors(ctx context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	if order, is := object.(*v1alpha1.ServiceOrder); is {
		by := client.MatchingFields{fieldLedgerReference: order.Spec.CustomerReference}
		r.warnOfOpenRequests(ctx, order, eventOrderContinues, by,
			func(ledger *v1alpha1.RequestLedger) string { return orders.DeletionWarning(order, ledger) })
	}
	return r.list(ctx, client.MatchingFields{fieldReference: referenceOf(object)[0]})
}

// ofLedger returns the objects with a ledger's customerReference: its holder, and those that wait
// for the ledger.
func (r *ServiceOrderReconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case isMarker(object):
		return r.list(ctx)
	case !is || ledger.Spec.Order == nil:
		return nil
	}
	return r.list(ctx, client.MatchingFields{fieldReference: ledger.Spec.Order.CustomerReference})
}

func (r *ServiceOrderReconciler) list(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return requestsFor(ctx, r, &v1alpha1.ServiceOrderList{}, options...)
}
