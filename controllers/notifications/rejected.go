// SPDX-License-Identifier: Apache-2.0

package notifications

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/orders"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// errNotYet makes the carrier send a notification again, because the order may not be recorded yet.
var errNotYet = fmt.Errorf("an order of this account is being sent, and its number is not known yet: %w",
	receiver.ErrNotYet)

// sendingFor is longer than any POST takes, including the recording of its response.
const sendingFor = 2 * time.Minute

// orderRejected records that the carrier has rejected an order that it had accepted, or whose
// outcome is unknown. If one of the two sides does not know the order's number, the customerReference
// identifies the order.
func (n *Notifications) orderRejected(ctx context.Context, notification receiver.Notification) error {
	at := orders.At{ID: numberOf(notification), CustomerReference: notification.Hint.CustomerReference}
	found, err := n.ordersNumbered(ctx, notification, at.ID)
	if err == nil && len(found) == 0 {
		return n.unnumberedRejected(ctx, notification, at)
	}
	for _, order := range found {
		err = errors.Join(err, n.Orders.RecordRejection(ctx, client.ObjectKeyFromObject(order), at, factOf(notification)))
	}
	return err
}

// unnumberedRejected handles the rejection of an order that is not found by its number: the
// notification does not have the number, or the order is being sent, its response was lost, or a
// person has resolved it without its number. A notification without a customerReference has to wait
// until each order being sent has its number, and is ignored for orders that are no longer being
// sent. A notification about an earlier order with the same reference is ignored.
func (n *Notifications) unnumberedRejected(
	ctx context.Context, notification receiver.Notification, at orders.At,
) error {
	ledgers, err := n.ledgersAt(ctx, notification, at)
	since := n.Protocol.Now().Add(-sendingFor)
	for i := range ledgers {
		request, holder := ledgers[i].RequestOf(v1alpha1.OperationOrderCreate), ledgers[i].Spec.Holder
		key := client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}
		switch {
		case !orders.MayBePlaced(request) || at.IsEarlier(&ledgers[i]):
		case request.Phase == v1alpha1.PhaseSubmitting && request.SubmittedAt.After(since):
			err = errors.Join(err, errNotYet)
		case at.CustomerReference == "":
		case at.IsAmbiguous(&ledgers[i]):
			err = errors.Join(err, n.warnOfAmbiguous(ctx, key, at, factOf(notification)))
		default:
			err = errors.Join(err, client.IgnoreNotFound(n.Orders.RecordRejection(ctx, key, at, factOf(notification))))
		}
	}
	return err
}

// warnOfAmbiguous emits a Warning Event about a rejection that is not recorded, because it may be
// about another order than that of the object with its customerReference.
func (n *Notifications) warnOfAmbiguous(
	ctx context.Context, key client.ObjectKey, at orders.At, notification decide.Notification,
) error {
	var order v1alpha1.ServiceOrder
	if err := n.Get(ctx, key, &order); err != nil {
		return client.IgnoreNotFound(err)
	}
	n.Protocol.Events.Eventf(&order, nil, corev1.EventTypeWarning, eventNotRecorded, "Notification", "%s",
		decide.AmbiguousRejection(notification, at.ID, at.CustomerReference))
	return nil
}

// ledgersAt returns the ledgers of the account's orders that a notification may concern: the one
// with its customerReference or, if the notification has none, those of orders in progress or
// resolved without a number. The ledgers are the cache's own, and must not be changed.
func (n *Notifications) ledgersAt(
	ctx context.Context, notification receiver.Notification, at orders.At,
) ([]v1alpha1.RequestLedger, error) {
	var account v1alpha1.CarrierAccount
	if err := n.Get(ctx, notification.Account, &account); err != nil {
		return nil, fmt.Errorf("read the account that a notification is for: %w", err)
	}
	login, err := n.Logins.RecordsOf(ctx, account.Login())
	if err != nil {
		return nil, err
	}
	by := client.MatchingFields{index.Login: index.LoginKey(login)}
	if at.CustomerReference != "" {
		by = client.MatchingFields{index.LedgerReference: at.CustomerReference}
	}
	var ledgers v1alpha1.RequestLedgerList
	if err := n.List(ctx, &ledgers, by, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("find the order that a notification concerns: %w", err)
	}
	return slices.DeleteFunc(ledgers.Items, func(ledger v1alpha1.RequestLedger) bool {
		ours := ledger.Spec.Login == login && ledger.Spec.Holder.Namespace == account.Namespace
		named := at.CustomerReference != "" || len(ledger.Spec.Open) > 0 || isUnnumbered(&ledger)
		return !ours || ledger.Spec.Order == nil || !named
	}), nil
}

// isUnnumbered reports whether an order has succeeded but its number is not known.
func isUnnumbered(ledger *v1alpha1.RequestLedger) bool {
	newest, known := ledger.RequestOf(v1alpha1.OperationOrderCreate), ledger.Spec.Known.Order
	return newest != nil && newest.Phase == v1alpha1.PhaseSucceeded && (known == nil || known.OrderID == "")
}
