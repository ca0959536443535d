// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
)

// Setup reconciles a ledger that is being deleted, or whose login is to be continued, whenever it
// changes. If the ledger is being deleted, it is also reconciled when an object that may depend
// on it is deleted.
func (r *Reconciler) Setup(mgr ctrl.Manager, workers watch.Workers) error {
	leavers := watch.WhenDeleted(r.ledgersToRelease)
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.RequestLedger{}, builder.WithPredicates(predicate.NewPredicateFuncs(needsPass))).
		Watches(&v1alpha1.RequestLedger{}, watch.WhenDeleted(r.forget)).
		Watches(&v1alpha1.BroadbandService{}, leavers).
		Watches(&v1alpha1.ServiceOrder{}, leavers).
		Watches(&v1alpha1.DiagnosticTest{}, leavers).
		WithOptions(workers.Options(&v1alpha1.RequestLedger{})).
		Complete(r)
}

// needsPass reports whether a ledger is being deleted, or has an annotation that continues its login.
func needsPass(object client.Object) bool {
	ledger, ok := object.(*v1alpha1.RequestLedger)
	return ok && ledger.AwaitsRelease() || isContinued(object)
}

// ledgersToRelease returns the ledgers that are being deleted. It is called for each deleted
// object, so it must not look through all ledgers.
func (r *Reconciler) ledgersToRelease(ctx context.Context, _ client.Object) []reconcile.Request {
	return watch.RequestsFor(ctx, r, &v1alpha1.RequestLedgerList{}, client.MatchingFields{index.AwaitsRelease: index.True})
}

// forget drops what this process has seen of a ledger that another manager released. A ledger
// removed in any other way is lost (R6).
func (r *Reconciler) forget(_ context.Context, object client.Object) []reconcile.Request {
	if !object.GetDeletionTimestamp().IsZero() && object.GetAnnotations()[v1alpha1.AnnotationForget] == object.GetName() {
		r.Ledgers.Forget(object.GetName())
	}
	return nil
}
