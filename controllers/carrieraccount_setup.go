// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// setup reconciles an account when a user changes it, when requeue is called for it, when the
// marker changes, and some time after it became less settled.
func (r *CarrierAccountReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	again := newQueue()
	r.enqueue = again.put
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(userChanges())).
		Watches(&v1alpha1.CarrierAccount{}, recheck(r.RecheckAfter)).
		Watches(&v1alpha1.RequestLedger{}, enqueueAll(r, &v1alpha1.CarrierAccountList{}), markerChanges()).
		WatchesRawSource(again.source()).
		WithOptions(options).
		Complete(r)
}
