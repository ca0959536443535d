// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// At identifies an order at the carrier: by its number or, if one of the two sides does not know
// the number, by the customerReference.
type At struct {
	ID                v1alpha1.CarrierID
	CustomerReference string
}

// is reports whether an object is that order. The reference alone does not say which order is meant
// if the carrier has accepted more than one with it.
func (at At) is(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger) bool {
	if at.ID != "" && order.Status.OrderID != "" {
		return order.Status.OrderID == at.ID
	}
	return at.CustomerReference == order.Spec.CustomerReference && MayBePlaced(order.Status.Request) &&
		(at.ID != "" || !wasAcceptedBefore(ledger))
}

// RecordRejection records that the carrier has rejected an order that it had accepted. The attempt
// stays unchanged, because a person decides whether the order is closed at the carrier and may be
// sent again.
func (r *Reconciler) RecordRejection(
	ctx context.Context, key client.ObjectKey, at At, notification decide.Notification,
) error {
	return pass.RecordNotice(notification, func() error {
		order := &v1alpha1.ServiceOrder{}
		if err := r.Protocol.Live.Get(ctx, key, order); err != nil {
			return fmt.Errorf("read ServiceOrder %s: %w", key, err)
		}
		p := newPass(r.Operator, order)
		if err := p.Begin(ctx); err != nil {
			return err
		}
		// The status may be older than its ledger, which may have another attempt by now.
		switch ledger := p.Ledger.Current(); {
		case at.IsEarlier(ledger):
			return nil
		case !at.is(order, ledger):
			return fmt.Errorf("ServiceOrder %s is order %q at the carrier, but order %q was rejected",
				key, order.Status.OrderID, at.ID)
		}
		status := &order.Status
		return p.WriteNotice(ctx, status.Rejection, notification, func(notice *v1alpha1.Notice) { status.Rejection = notice })
	})
}

// MayBePlaced reports whether the carrier may have the order of an attempt. The attempt may be nil.
func MayBePlaced(request *v1alpha1.Request) bool {
	return request != nil && (!request.Phase.Ended() || request.Phase == v1alpha1.PhaseSucceeded)
}

// IsEarlier reports whether the number belongs to an attempt before the newest one in an order's
// ledger. The ledger may be nil.
func (at At) IsEarlier(ledger *v1alpha1.RequestLedger) bool {
	return anyEarlier(ledger, func(ended v1alpha1.EndedAttempt) bool {
		handle, err := carrier.ParseLocation(carrier.OrderCreate, int(ended.APIVersion), ended.Location)
		return err == nil && handle.HasID(at.ID.Number())
	})
}

// wasAcceptedBefore reports whether the carrier accepted an order attempt before the newest one.
// The ledger may be nil.
func wasAcceptedBefore(ledger *v1alpha1.RequestLedger) bool {
	return anyEarlier(ledger, func(ended v1alpha1.EndedAttempt) bool { return ended.Location != "" })
}

// anyEarlier reports whether the function returns true for an ended attempt of a ledger other
// than the newest.
func anyEarlier(ledger *v1alpha1.RequestLedger, is func(v1alpha1.EndedAttempt) bool) bool {
	if ledger == nil {
		return false
	}
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate)
	return slices.ContainsFunc(ledger.Spec.Ended, func(ended v1alpha1.EndedAttempt) bool {
		return (newest == nil || ended.AttemptID != newest.AttemptID) && is(ended)
	})
}

// IsAmbiguous reports whether a rejection with the customerReference of a ledger may be about
// another order than the ledger's: it has another number, or it has none and the carrier has
// accepted more than one order with this reference.
func (at At) IsAmbiguous(ledger *v1alpha1.RequestLedger) bool {
	if at.ID == "" {
		return wasAcceptedBefore(ledger)
	}
	known := ledger.Spec.Known.Order
	return known != nil && known.OrderID != "" && known.OrderID != at.ID
}
