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

// ServiceOrderReconciler places each order at most once.
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
	p.kind, p.onBegun, p.onRecorded = p, p.dismissRejection, p.markRecorded
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

// OrderAt identifies an order at the carrier: by its number or, if one of the two sides does not know
// that, by the customerReference.
type OrderAt struct {
	ID                v1alpha1.CarrierID
	CustomerReference string
}

// is reports whether an object is that order. The reference alone does not say which order is meant
// if the carrier has accepted more than one with it.
func (at OrderAt) is(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger) bool {
	if at.ID != "" && order.Status.OrderID != "" {
		return order.Status.OrderID == at.ID
	}
	return at.CustomerReference == order.Spec.CustomerReference && mayBePlaced(order.Status.Request) &&
		(at.ID != "" || !wasAcceptedBefore(ledger))
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
		p := r.newPass(order)
		if err := p.begin(ctx); err != nil {
			return err
		}
		// The status may be older than its ledger, which may have another attempt by now.
		switch ledger := p.ledger.held(); {
		case isEarlierOrder(ledger, at.ID):
			return nil
		case !at.is(order, ledger):
			return fmt.Errorf("ServiceOrder %s is order %q at the carrier, but order %q was rejected",
				key, order.Status.OrderID, at.ID)
		}
		status := &order.Status
		return p.writeNotice(ctx, status.Rejection, notification, func(notice *v1alpha1.Notice) { status.Rejection = notice })
	})
}
