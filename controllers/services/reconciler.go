// SPDX-License-Identifier: Apache-2.0

// Package services brings the carrier's state of services in line with their BroadbandServices.
package services

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
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
