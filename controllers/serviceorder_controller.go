// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// ServiceOrderReconciler sends each order once, for ever.
type ServiceOrderReconciler struct {
	*Operator
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders/status,verbs=update
// +kubebuilder:rbac:groups=wholesale.broadband,resources=requestledgers,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=get

// Reconcile takes one order as far as it can go now.
func (r *ServiceOrderReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	order := &v1alpha1.ServiceOrder{}
	if err := r.Get(ctx, request.NamespacedName, order); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !order.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // somebody else's finalizer: nothing is sent for it, and nothing is forgotten
	}
	return r.over(order).run(ctx)
}

func (r *ServiceOrderReconciler) over(order *v1alpha1.ServiceOrder) *orderPass {
	p := &orderPass{pass: &pass{Operator: r.Operator, subject: order}, of: r, order: order}
	p.kind = p
	return p
}

// Order is what a service takes over from an order; nil when there is no such order.
func (r *ServiceOrderReconciler) Order(ctx context.Context, key client.ObjectKey) (*decide.Order, error) {
	var order v1alpha1.ServiceOrder
	if err := r.Get(ctx, key, &order); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil //nolint:nilnil // an order that is not there yet is no error
		}
		return nil, fmt.Errorf("read ServiceOrder %s: %w", key, err)
	}
	return decide.OrderOf(&order), nil
}

// OrderAt is an order as the carrier names it: by its number, and where nobody knows that
// yet by the customerReference.
type OrderAt struct {
	ID                v1alpha1.CarrierID
	CustomerReference string
}

// is says whether an object is that order.
func (at OrderAt) is(order *v1alpha1.ServiceOrder) bool {
	if order.Status.OrderID != "" {
		return order.Status.OrderID == at.ID
	}
	return at.CustomerReference == order.Spec.CustomerReference && len(order.OpenRequests()) > 0
}

// RecordRejection writes down that the carrier rejects an order that it had taken. The attempt stays
// as it is: whether the order is dead, and may be sent again, a person says.
func (r *ServiceOrderReconciler) RecordRejection(
	ctx context.Context, key client.ObjectKey, at OrderAt, told decide.Notification,
) error {
	return recorded(told, func() error {
		order := &v1alpha1.ServiceOrder{}
		if err := r.Protocol.Live.Get(ctx, key, order); err != nil {
			return fmt.Errorf("read ServiceOrder %s: %w", key, err)
		}
		if !at.is(order) {
			return fmt.Errorf("ServiceOrder %s is order %s at the carrier, and order %s was rejected",
				key, order.Status.OrderID, at.ID)
		}
		p := r.over(order)
		if err := p.begin(ctx); err != nil {
			return err
		}
		return p.note(ctx, &order.Status.Rejection, told)
	})
}
