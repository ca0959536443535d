// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// setup reconciles a ledger that is being deleted, or whose login is to be continued, whenever it
// changes. It also reconciles one that is being deleted when an object that may depend on it is
// deleted.
func (r *LedgerReconciler) setup(mgr ctrl.Manager, workers workers) error {
	leavers := whenDeleted(r.ledgersToRelease)
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.RequestLedger{}, builder.WithPredicates(predicate.NewPredicateFuncs(needsPass))).
		Watches(&v1alpha1.RequestLedger{}, whenDeleted(r.forget)).
		Watches(&v1alpha1.BroadbandService{}, leavers).
		Watches(&v1alpha1.ServiceOrder{}, leavers).
		Watches(&v1alpha1.DiagnosticTest{}, leavers).
		WithOptions(workers.of(&v1alpha1.RequestLedger{})).
		Complete(r)
}

// needsPass reports whether a ledger is being deleted, or has an annotation that continues its login.
func needsPass(object client.Object) bool { return awaitsRelease(object) || isContinued(object) }

// ledgersToRelease returns the ledgers that are being deleted. It is called for each deleted
// object, so it must not look through all ledgers.
func (r *LedgerReconciler) ledgersToRelease(ctx context.Context, _ client.Object) []reconcile.Request {
	return requestsFor(ctx, r, &v1alpha1.RequestLedgerList{}, client.MatchingFields{fieldAwaitsRelease: isSo})
}

// forget drops what this process has seen of a ledger that another manager released. A ledger
// removed in any other way is lost (R6).
func (r *LedgerReconciler) forget(_ context.Context, object client.Object) []reconcile.Request {
	if !object.GetDeletionTimestamp().IsZero() && object.GetAnnotations()[v1alpha1.AnnotationForget] == object.GetName() {
		r.Ledgers.Forget(object.GetName())
	}
	return nil
}
