// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strconv"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The fields by which orders are found, and the services that come from them.
const (
	fieldReference = "spec.customerReference"
	fieldOrderRef  = "spec.orderRef.name"
	fieldOrderID   = "status.orderID"
)

// setup has an order looked at when a user changed it, when its account changes and when
// another object with its customerReference is gone.
func (r *ServiceOrderReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.ServiceOrder{}, builder.WithPredicates(wanted())).
		Watches(&v1alpha1.ServiceOrder{}, doubt(r.DoubtAfter)).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount)).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.heirs), builder.WithPredicates(gone())).
		WithOptions(options).
		Complete(r)
}

// ofAccount finds the orders that wait for an account.
func (r *ServiceOrderReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.those(ctx, client.InNamespace(account.GetNamespace()), client.MatchingFields{fieldAccount: account.GetName()})
}

// heirs finds the other objects with the customerReference of an object that is gone, in
// whatever namespace: one of them may take its claim over.
func (r *ServiceOrderReconciler) heirs(ctx context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Memory.Forget(object.GetUID())
	return r.those(ctx, client.MatchingFields{fieldReference: referenceOf(object)[0]})
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
