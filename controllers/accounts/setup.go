// SPDX-License-Identifier: Apache-2.0

package accounts

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
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
)

// accountsWith returns the accounts with the login of a ledger.
func (r *Reconciler) accountsWith(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Account == nil {
		return nil
	}
	by := client.MatchingFields{index.AccountLogin: index.LoginKey(ledger.Spec.Login)}
	return watch.RequestsFor(ctx, r, &v1alpha1.CarrierAccountList{}, by)
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

// Setup reconciles an account when a user changes it, when requeue is called for it, when the
// marker or the ledger of its login changes, and some time after it became less settled.
func (r *Reconciler) Setup(mgr ctrl.Manager, workers watch.Workers) error {
	again := watch.NewTrigger()
	r.enqueue = again.Put
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(watch.UserChanges())).
		Watches(&v1alpha1.CarrierAccount{}, watch.Recheck(r.RecheckAfter)).
		Watches(&v1alpha1.RequestLedger{}, watch.EnqueueAll(r, &v1alpha1.CarrierAccountList{}), watch.MarkerChanges()).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.accountsWith), continuations()).
		WatchesRawSource(again.Source()).
		WithOptions(workers.Options(&v1alpha1.CarrierAccount{})).
		Complete(r)
}
