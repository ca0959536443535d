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
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// setup reconciles a service when a user changes it, when its account or its order changes, when a
// notification about it arrives, when another object of the same service is deleted, when another
// process writes to its ledger, when the ledger is removed or goes back to an older revision, when
// another object becomes the ledger's holder, when the marker or the state of the admission policies
// changes, and some time after the service became less settled.
func (r *BroadbandServiceReconciler) setup(mgr ctrl.Manager, notified *queue, workers workers) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BroadbandService{}, builder.WithPredicates(userChanges())).
		Watches(&v1alpha1.BroadbandService{}, recheck(r.RecheckAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount),
			builder.WithPredicates(accountChanges())).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.ofOrder)).
		Watches(&v1alpha1.BroadbandService{}, whenDeleted(r.successors)).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.ofLedger),
			builder.WithPredicates(r.ledgerNews())).
		Watches(&v1alpha1.RequestLedger{}, exceptHolder(r.ofLedger), holderChanges()).
		WatchesRawSource(notified.source()).
		WatchesRawSource(r.Policies.waiting(&v1alpha1.BroadbandServiceList{})).
		WithOptions(workers.of(&v1alpha1.BroadbandService{})).
		Complete(r)
}

// ofAccount returns the services that use an account.
func (r *BroadbandServiceReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.list(ctx, client.InNamespace(account.GetNamespace()), client.MatchingFields{fieldAccount: account.GetName()})
}

// successors returns the other objects of a service after one was deleted, because one of them may
// take over the ledger.
func (r *BroadbandServiceReconciler) successors(ctx context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	service, is := object.(*v1alpha1.BroadbandService)
	if !is || service.ServiceNumber() == "" {
		return nil
	}
	by := client.MatchingFields{fieldLedgerService: string(service.ServiceNumber())}
	r.warnOfOpenRequests(ctx, service, eventRequestContinues, by,
		func(ledger *v1alpha1.RequestLedger) string { return services.DeletionWarning(service, ledger) })
	return r.servicesNumbered(ctx, service.ServiceNumber())
}

// ofLedger returns the objects of a ledger's service: its holder, and those that wait for the
// ledger.
func (r *BroadbandServiceReconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case isMarker(object):
		return r.list(ctx)
	case !is || ledger.Spec.Service == nil:
		return nil
	}
	return r.servicesNumbered(ctx, ledger.Spec.Service.ID)
}

func (r *BroadbandServiceReconciler) list(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return requestsFor(ctx, r, &v1alpha1.BroadbandServiceList{}, options...)
}

// ofOrder returns the services that come from an order. They wait for its status, so every change
// of it counts.
func (r *BroadbandServiceReconciler) ofOrder(ctx context.Context, order client.Object) []reconcile.Request {
	return r.list(ctx, client.InNamespace(order.GetNamespace()), client.MatchingFields{fieldOrderRef: order.GetName()})
}
