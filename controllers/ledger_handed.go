// SPDX-License-Identifier: Apache-2.0

package controllers

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

// Handed says whether a ledger has a holder that it did not have before: from now on the other objects
// of its service or customerReference are in conflict with that (R2). They are looked at even where
// this process wrote it: "own writes do not" wake its holder (R32).
func Handed(before, after client.Object) bool {
	held, is := after.(*v1alpha1.RequestLedger)
	if !is || held.Spec.Holder.UID == "" {
		return false
	}
	was, had := before.(*v1alpha1.RequestLedger)
	return !had || was.Spec.Holder.UID != held.Spec.Holder.UID
}

// handed lets through that a ledger has got another holder.
func handed() builder.WatchesOption {
	return builder.WithPredicates(predicate.Funcs{
		CreateFunc:  func(create event.CreateEvent) bool { return Handed(nil, create.Object) },
		UpdateFunc:  func(update event.UpdateEvent) bool { return Handed(update.ObjectOld, update.ObjectNew) },
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
}

// others has the objects of a ledger looked at, but for its holder.
func others(of handler.MapFunc) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		return slices.DeleteFunc(of(ctx, object), func(one reconcile.Request) bool {
			ledger, is := object.(*v1alpha1.RequestLedger)
			return is && one.Namespace == ledger.Spec.Holder.Namespace && one.Name == ledger.Spec.Holder.Name
		})
	})
}
