// SPDX-License-Identifier: Apache-2.0

// Package orders places the ServiceOrders, each at most once.
package orders

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// Reconciler places each order at most once.
type Reconciler struct {
	*pass.Operator
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders/status,verbs=update
// +kubebuilder:rbac:groups=wholesale.broadband,resources=requestledgers,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=get

// Reconcile takes one order as far as possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	order := &v1alpha1.ServiceOrder{}
	if err := r.Get(ctx, request.NamespacedName, order); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !order.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // another controller's finalizer keeps it: send nothing for it, and forget nothing
	}
	return newPass(r.Operator, order).Run(ctx)
}

// Order returns what a service of an account takes over from an order; nil if there is no such order.
func (r *Reconciler) Order(
	ctx context.Context, key client.ObjectKey, account string,
) (*services.Order, error) {
	order, err := apiserver.Find(ctx, r, key, &v1alpha1.ServiceOrder{})
	if order == nil {
		return nil, err
	}
	return services.OrderOf(order, account), nil
}

// eventOrderContinues is the reason of the Event about an order that continues although its object is
// deleted.
const eventOrderContinues = "OrderContinues"

// Setup reconciles an order when a user changes it, when its account changes, when a notification
// about it arrives, when another object with its customerReference is deleted, when another process
// writes to its ledger, when the ledger is removed or goes back to an older revision, when another
// object becomes the ledger's holder, when the marker or the state of the admission policies
// changes, and some time after the order became less settled (see [watch.Recheck]).
func (r *Reconciler) Setup(mgr ctrl.Manager, notified *watch.Trigger, workers watch.Workers) error {
	return watch.Requests(mgr, r.Operator, workers, &v1alpha1.ServiceOrder{}, &v1alpha1.ServiceOrderList{}).
		Watches(&v1alpha1.ServiceOrder{}, watch.WhenDeleted(r.successors)).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.ofLedger),
			builder.WithPredicates(watch.LedgerNews(r.Ledgers))).
		Watches(&v1alpha1.RequestLedger{}, watch.ExceptHolder(r.ofLedger), watch.HolderChanges()).
		WatchesRawSource(notified.Source()).
		Complete(r)
}

// successors returns the other objects with the customerReference of a deleted object, in all
// namespaces, because one of them may take over the ledger.
func (r *Reconciler) successors(ctx context.Context, object client.Object) []reconcile.Request {
	order, ok := object.(*v1alpha1.ServiceOrder)
	if !ok {
		return nil
	}
	by := client.MatchingFields{index.LedgerReference: order.Spec.CustomerReference}
	r.WarnOfOpenRequests(ctx, order, eventOrderContinues, by,
		func(ledger *v1alpha1.RequestLedger) string { return orders.DeletionWarning(order, ledger) })
	return r.list(ctx, client.MatchingFields{index.Reference: order.Spec.CustomerReference})
}

// ofLedger returns the objects with a ledger's customerReference: its holder, and those that wait
// for the ledger.
func (r *Reconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case watch.IsMarker(object):
		return r.list(ctx)
	case !is || ledger.Spec.Order == nil:
		return nil
	}
	return r.list(ctx, client.MatchingFields{index.Reference: ledger.Spec.Order.CustomerReference})
}

func (r *Reconciler) list(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return watch.RequestsFor(ctx, r, &v1alpha1.ServiceOrderList{}, options...)
}
