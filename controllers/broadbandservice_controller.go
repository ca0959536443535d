// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// BroadbandServiceReconciler brings the carrier's state of a service in line with its
// BroadbandService.
type BroadbandServiceReconciler struct {
	*Operator

	Orders Orders // nil: there are no orders
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=broadbandservices,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=broadbandservices/status,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=core,resources=secrets,verbs=get

// Reconcile takes one service as far as possible now.
func (r *BroadbandServiceReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service := &v1alpha1.BroadbandService{}
	if err := r.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	p := &servicePass{pass: &pass{Operator: r.Operator, subject: service}, orders: r.Orders, service: service}
	p.kind = p
	if !service.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // another controller's finalizer keeps it: send nothing for it, and forget nothing
	}
	return p.run(ctx)
}
