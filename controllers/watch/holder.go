// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// HolderChanged reports whether a ledger has a new holder. From then on the other objects of its
// service or customerReference are in conflict with it (R2). They are reconciled even if this
// process wrote the change. Such a write only leaves the holder alone (R32).
func HolderChanged(before, after client.Object) bool {
	held, is := after.(*v1alpha1.RequestLedger)
	if !is || held.Spec.Holder.UID == "" {
		return false
	}
	was, had := before.(*v1alpha1.RequestLedger)
	return !had || was.Spec.Holder.UID != held.Spec.Holder.UID
}

// HolderChanges passes changes that give a ledger another holder.
func HolderChanges() builder.WatchesOption {
	return builder.WithPredicates(predicate.Funcs{
		CreateFunc:  func(create event.CreateEvent) bool { return HolderChanged(nil, create.Object) },
		UpdateFunc:  func(update event.UpdateEvent) bool { return HolderChanged(update.ObjectOld, update.ObjectNew) },
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
}

// ExceptHolder enqueues the objects of a ledger, except its holder.
func ExceptHolder(of handler.MapFunc) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		return slices.DeleteFunc(of(ctx, object), func(one reconcile.Request) bool {
			ledger, is := object.(*v1alpha1.RequestLedger)
			return is && one.Namespace == ledger.Spec.Holder.Namespace && one.Name == ledger.Spec.Holder.Name
		})
	})
}
