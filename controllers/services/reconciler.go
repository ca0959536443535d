// SPDX-License-Identifier: Apache-2.0

// Package services brings the carrier's state of services in line with their BroadbandServices.
package services

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// Reconciler brings the carrier's state of a service in line with its
// BroadbandService.
type Reconciler struct {
	*pass.Operator

	Orders Orders // nil: there are no orders
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=broadbandservices,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=broadbandservices/status,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=core,resources=secrets,verbs=get

// Reconcile takes one service as far as possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service := &v1alpha1.BroadbandService{}
	if err := r.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !service.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // another controller's finalizer keeps it: send nothing for it, and forget nothing
	}
	return pass.New(r.Operator, service, kindOf(service, r.Orders)).Run(ctx)
}

// Setup reconciles a service when a user changes it, when its account or its order changes, when a
// notification about it arrives, when another object of the same service is deleted, when another
// process writes to its ledger, when the ledger is removed or goes back to an older revision, when
// another object becomes the ledger's holder, when the marker or the state of the admission
// policies changes, and some time after the service became less settled (see [watch.Recheck]).
func (r *Reconciler) Setup(mgr ctrl.Manager, notified *watch.Trigger, workers watch.Workers) error {
	list := &v1alpha1.BroadbandServiceList{}
	return watch.Requests(mgr, r.Operator, workers, &v1alpha1.BroadbandService{}, list).
		Watches(&v1alpha1.ServiceOrder{}, watch.Naming(r, list, index.OrderRef)). // services wait for its status, too
		Watches(&v1alpha1.BroadbandService{}, watch.WhenDeleted(r.successors)).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.ofLedger),
			builder.WithPredicates(watch.LedgerNews(r.Ledgers))).
		Watches(&v1alpha1.RequestLedger{}, watch.ExceptHolder(r.ofLedger), watch.HolderChanges()).
		WatchesRawSource(notified.Source()).
		Complete(r)
}

// successors returns the other objects of a service after one was deleted, because one of them may
// take over the ledger.
func (r *Reconciler) successors(ctx context.Context, object client.Object) []reconcile.Request {
	service, is := object.(*v1alpha1.BroadbandService)
	if !is || service.ServiceNumber() == "" {
		return nil
	}
	by := client.MatchingFields{index.LedgerService: string(service.ServiceNumber())}
	r.WarnOfOpenRequests(ctx, service, pass.EventRequestContinues, by,
		func(ledger *v1alpha1.RequestLedger) string { return services.DeletionWarning(service, ledger) })
	return watch.ServicesNumbered(ctx, r, service.ServiceNumber())
}

// ofLedger returns the objects of a ledger's service: its holder, and those that wait for the
// ledger.
func (r *Reconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case watch.IsMarker(object):
		return watch.RequestsFor(ctx, r, &v1alpha1.BroadbandServiceList{})
	case !is || ledger.Spec.Service == nil:
		return nil
	}
	return watch.ServicesNumbered(ctx, r, ledger.Spec.Service.ID)
}
