// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// lateChanges passes updates in which a late acceptance was added to a ledger, or settled. Tests
// that wait for this are also triggered by this process's own writes.
func lateChanges() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(update event.UpdateEvent) bool {
			return hasLate(update.ObjectOld) != hasLate(update.ObjectNew)
		},
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

func hasLate(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && ledger.LateAcceptance() != nil
}

// ofLate returns the test whose attempt was accepted late; it may have finished long ago.
func (r *OneShotReconciler) ofLate(ctx context.Context, ledger *v1alpha1.RequestLedger) []reconcile.Request {
	late := ledger.LateAcceptance()
	if late == nil {
		return nil
	}
	return listed(ctx, r, r.shape().list, client.MatchingFields{fieldTestUID: late.UID})
}
