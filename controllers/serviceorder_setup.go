// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields by which orders are found, and the services that come from them.
const (
	fieldReference = "spec.customerReference"
	fieldOrderRef  = "spec.orderRef.name"
	fieldOrderID   = "status.orderID"
)

// setup has an order looked at when a user changed it, when its account changes, when another
// object with its customerReference is gone, and when another process has written into its ledger.
func (r *ServiceOrderReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.ServiceOrder{}, builder.WithPredicates(wanted())).
		Watches(&v1alpha1.ServiceOrder{}, doubt(r.DoubtAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount)).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.heirs), builder.WithPredicates(gone())).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.ofLedger),
			builder.WithPredicates(predicate.NewPredicateFuncs(r.isNews))).
		WithOptions(options).
		Complete(r)
}

// ofAccount finds the orders that wait for an account.
func (r *ServiceOrderReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.those(ctx, client.InNamespace(account.GetNamespace()), client.MatchingFields{fieldAccount: account.GetName()})
}

// heirs finds the other objects with the customerReference of an object that is gone, in
// whatever namespace: one of them may take its ledger over.
func (r *ServiceOrderReconciler) heirs(ctx context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	if order, is := object.(*v1alpha1.ServiceOrder); is {
		r.warnOf(ctx, order)
	}
	return r.those(ctx, client.MatchingFields{fieldReference: referenceOf(object)[0]})
}

// warnOf says what goes on at the carrier although its object is gone.
func (r *ServiceOrderReconciler) warnOf(ctx context.Context, order *v1alpha1.ServiceOrder) {
	var ledgers v1alpha1.RequestLedgerList
	err := r.List(ctx, &ledgers, client.MatchingFields{fieldLedgerReference: order.Spec.CustomerReference})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot look for what a deleted order leaves behind")
		return
	}
	for i := range ledgers.Items {
		if left := decide.LeftOrder(order, &ledgers.Items[i]); left != "" {
			r.Protocol.Events.Eventf(order, nil, corev1.EventTypeWarning, "OrderGoesOn", "Delete", "%s", left)
		}
	}
}

// ofLedger finds the objects of a ledger's customerReference: its holder, and those that wait for
// it.
func (r *ServiceOrderReconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Order == nil {
		return nil
	}
	return r.those(ctx, client.MatchingFields{fieldReference: ledger.Spec.Order.CustomerReference})
}

// isNews: "own writes do not" wake anybody (R32).
func (r *ServiceOrderReconciler) isNews(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && r.Ledgers.IsNews(ledger.Name, ledger.Spec.Revision)
}

func (r *ServiceOrderReconciler) those(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return listed(ctx, r, &v1alpha1.ServiceOrderList{}, options...)
}

func referenceOf(object client.Object) []string {
	order, isOrder := object.(*v1alpha1.ServiceOrder)
	if !isOrder {
		return []string{""}
	}
	return []string{order.Spec.CustomerReference}
}

// orderIDOf is the carrier's number of an order.
func orderIDOf(object client.Object) []string {
	order, isOrder := object.(*v1alpha1.ServiceOrder)
	if !isOrder || order.Status.OrderID == 0 {
		return nil
	}
	return []string{strconv.FormatInt(order.Status.OrderID, 10)}
}

// ofOrder finds the services that come from an order. Its status is what they wait for, so
// every change of it counts.
func (r *BroadbandServiceReconciler) ofOrder(ctx context.Context, order client.Object) []reconcile.Request {
	return r.named(ctx, client.InNamespace(order.GetNamespace()), client.MatchingFields{fieldOrderRef: order.GetName()})
}

// orderRefOf is the order that a service comes from.
func orderRefOf(object client.Object) []string {
	service, isService := object.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.OrderRef == nil {
		return nil
	}
	return []string{service.Spec.OrderRef.Name}
}
