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
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// ServiceOrderReconciler sends each order at most once.
type ServiceOrderReconciler struct {
	*Operator
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=serviceorders/status,verbs=update
// +kubebuilder:rbac:groups=wholesale.broadband,resources=requestledgers,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=get

// Reconcile takes one order as far as possible now.
func (r *ServiceOrderReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	order := &v1alpha1.ServiceOrder{}
	if err := r.Get(ctx, request.NamespacedName, order); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !order.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // another controller's finalizer keeps it: send nothing for it, and forget nothing
	}
	return r.newPass(order).run(ctx)
}

func (r *ServiceOrderReconciler) newPass(order *v1alpha1.ServiceOrder) *orderPass {
	p := &orderPass{pass: &pass{Operator: r.Operator, subject: order, synchronous: true}, order: order}
	p.kind, p.onRecorded = p, p.markRecorded
	return p
}

// Order returns what a service of an account takes over from an order; nil if there is no such order.
func (r *ServiceOrderReconciler) Order(
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

// OrderAt identifies an order at the carrier: by its number or, if that is not known yet, by the
// customerReference.
type OrderAt struct {
	ID                v1alpha1.CarrierID
	CustomerReference string
}

// is reports whether an object is that order.
func (at OrderAt) is(order *v1alpha1.ServiceOrder) bool {
	if order.Status.OrderID != "" {
		return order.Status.OrderID == at.ID
	}
	sent := order.Status.Request
	unnumbered := sent != nil && (!sent.Phase.Ended() || sent.Phase == v1alpha1.PhaseSucceeded)
	return at.CustomerReference == order.Spec.CustomerReference && unnumbered
}

// RecordRejection records that the carrier has rejected an order that it had accepted. The attempt
// stays unchanged, because a person decides whether the order is closed at the carrier and may be
// sent again.
func (r *ServiceOrderReconciler) RecordRejection(
	ctx context.Context, key client.ObjectKey, at OrderAt, notification decide.Notification,
) error {
	return recordNotice(notification, func() error {
		order := &v1alpha1.ServiceOrder{}
		if err := r.Protocol.Live.Get(ctx, key, order); err != nil {
			return fmt.Errorf("read ServiceOrder %s: %w", key, err)
		}
		if !at.is(order) {
			return fmt.Errorf("ServiceOrder %s is order %s at the carrier, but order %s was rejected",
				key, order.Status.OrderID, at.ID)
		}
		p := r.newPass(order)
		if err := p.begin(ctx); err != nil {
			return err
		}
		return p.writeNotice(ctx, &order.Status.Rejection, notification)
	})
}
