// SPDX-License-Identifier: Apache-2.0

// Package orders places the ServiceOrders, each at most once.
package orders

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// Reconciler places each order at most once.
type Reconciler struct {
	*pass.Operator
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders/status,verbs=update
// +kubebuilder:rbac:groups=wholesale.broadband,resources=requestledgers,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=get

// Reconcile takes one order as far as possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	order := &v1alpha1.ServiceOrder{}
	if err := r.Get(ctx, request.NamespacedName, order); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !order.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // another controller's finalizer keeps it: send nothing for it, and forget nothing
	}
	return newPass(r.Operator, order).Run(ctx)
}

// Order returns what a service of an account takes over from an order; nil if there is no such order.
func (r *Reconciler) Order(
	ctx context.Context, key client.ObjectKey, account string,
) (*services.Order, error) {
	var order v1alpha1.ServiceOrder
	if err := r.Get(ctx, key, &order); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil //nolint:nilnil // an order that does not exist yet is no error
		}
		return nil, fmt.Errorf("read ServiceOrder %s: %w", key, err)
	}
	return services.OrderOf(&order, account), nil
}
