// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Notifications acts on what the carrier tells. A notification does one thing: it has the
// object looked at now, and what the look finds is what counts. Two tell what no look can
// find, and are written down.
type Notifications struct {
	*Operator

	Orders       *ServiceOrderReconciler
	Appointments *AppointmentRequestReconciler
	Leads        func() bool                // whether this process acts on objects; nil: it does
	Look         func(types.NamespacedName) // has a BroadbandService looked at now; nil: nobody does
}

// errNotYet asks for a notification again: what it is about is being written down.
var errNotYet = errors.New("an order of this account is being sent, and its number is not known yet")

// Take acts on a notification. An error says that it is to be sent again later.
func (n *Notifications) Take(ctx context.Context, told receiver.Notification) error {
	if told.Event == carrier.EventOrderRejected {
		return n.orderRejected(ctx, told)
	}
	if told.Event == carrier.EventAppointmentCancelled {
		return n.appointmentCancelled(ctx, told)
	}
	if n.Leads != nil && !n.Leads() {
		return nil // the one that leads polls; what is lost is a hint
	}
	return n.serviceTold(ctx, told)
}

// serviceTold has the services looked at that a notification concerns.
func (n *Notifications) serviceTold(ctx context.Context, told receiver.Notification) error {
	services, err := n.servicesOf(ctx, told)
	if err != nil {
		return err
	}
	now := n.Protocol.Now()
	for _, service := range services {
		n.Protocol.Memory.Note(service.UID, now, func(memory *decide.Memory) {
			memory.Told = now
			if told.Event == carrier.EventCancelled || told.Event == carrier.EventCancellationRejected {
				memory.ToldOfCancellation = now
			}
		})
		if n.Look != nil {
			n.Look(client.ObjectKeyFromObject(service))
		}
	}
	return nil
}

// servicesOf finds the account's services by the service's number, and where a
// notification does not give it, by that of a request.
func (n *Notifications) servicesOf(
	ctx context.Context, told receiver.Notification,
) ([]*v1alpha1.BroadbandService, error) {
	var found []*v1alpha1.BroadbandService
	for _, id := range []v1alpha1.CarrierID{
		v1alpha1.CarrierIDOf(told.Hint.ServiceID), v1alpha1.CarrierIDOf(told.Hint.ID),
	} {
		for _, field := range []string{fieldServiceID, fieldLearnedID} {
			services, err := n.services(ctx, told, field, id)
			if err != nil {
				return nil, err
			}
			found = append(found, services...)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return n.servicesAsking(ctx, told)
}

// services are those of the account with a number in a field.
func (n *Notifications) services(
	ctx context.Context, told receiver.Notification, field string, id v1alpha1.CarrierID,
) ([]*v1alpha1.BroadbandService, error) {
	if id == "" {
		return nil, nil
	}
	return those(ctx, n, &v1alpha1.BroadbandServiceList{}, within{told.Account, field, string(id)},
		func(service *v1alpha1.BroadbandService) bool { return service.ServiceNumber() == id })
}

// servicesAsking are those of the account with an open request of that number.
func (n *Notifications) servicesAsking(
	ctx context.Context, told receiver.Notification,
) ([]*v1alpha1.BroadbandService, error) {
	if told.Hint.RequestID == 0 && told.Hint.ID == 0 {
		return nil, nil
	}
	return those(ctx, n, &v1alpha1.BroadbandServiceList{}, allOf(told.Account),
		func(service *v1alpha1.BroadbandService) bool {
			return asks(service, told.Hint.RequestID) || asks(service, told.Hint.ID)
		})
}

func asks(service *v1alpha1.BroadbandService, id int64) bool {
	for _, open := range service.OpenRequests() {
		handle, err := carrier.ParseLocation(carrier.Operation(open.Operation), int(open.APIVersion), open.Location)
		if err == nil && id != 0 && handle.ID == strconv.FormatInt(id, 10) {
			return true
		}
	}
	return false
}

// orderRejected writes down that the carrier rejects an order that it had taken, or whose
// outcome nobody knows: then it is known by its customerReference.
func (n *Notifications) orderRejected(ctx context.Context, told receiver.Notification) error {
	at := OrderAt{ID: numberOf(told), CustomerReference: told.Hint.CustomerReference}
	orders, err := n.ordersNumbered(ctx, told, at.ID)
	if err == nil && len(orders) == 0 {
		return n.unnumberedRejected(ctx, told, at)
	}
	for _, order := range orders {
		err = errors.Join(err, n.Orders.RecordRejection(ctx, client.ObjectKeyFromObject(order), at, factOf(told)))
	}
	return err
}

// unnumberedRejected: the number of the order is not known. It is being sent, or its answer was
// lost. A notification without a customerReference has to wait until each order that is being sent
// has its number. An order that nobody sends any more is not waited for.
func (n *Notifications) unnumberedRejected(ctx context.Context, told receiver.Notification, at OrderAt) error {
	open, err := n.openLedgers(ctx, told, at.CustomerReference)
	since := n.Protocol.Now().Add(-sendingFor)
	for i := range open {
		request, holder := open[i].RequestOf(v1alpha1.OperationOrderCreate), open[i].Spec.Holder
		switch {
		case request.Phase == v1alpha1.PhaseSubmitting && request.SubmittedAt.After(since):
			err = errors.Join(err, errNotYet)
		case at.CustomerReference != "":
			key := client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}
			err = errors.Join(err, client.IgnoreNotFound(n.Orders.RecordRejection(ctx, key, at, factOf(told))))
		}
	}
	return err
}

// openLedgers are those of the account's orders that are under way, or of one customerReference
// alone.
func (n *Notifications) openLedgers(
	ctx context.Context, told receiver.Notification, reference string,
) ([]v1alpha1.RequestLedger, error) {
	var account v1alpha1.CarrierAccount
	if err := n.Get(ctx, told.Account, &account); err != nil {
		return nil, fmt.Errorf("read the account that a notification is for: %w", err)
	}
	by := client.MatchingFields{fieldIdentity: account.IdentityName()}
	if reference != "" {
		by = client.MatchingFields{fieldLedgerReference: reference}
	}
	var ledgers v1alpha1.RequestLedgerList
	if err := n.List(ctx, &ledgers, by); err != nil {
		return nil, fmt.Errorf("find the orders that are under way: %w", err)
	}
	return slices.DeleteFunc(ledgers.Items, func(ledger v1alpha1.RequestLedger) bool {
		ours := ledger.Spec.Identity == account.IdentityName() && ledger.Spec.Holder.Namespace == account.Namespace
		return !ours || ledger.Spec.Order == nil || len(ledger.Spec.Open) == 0
	}), nil
}

// sendingFor is longer than any POST and the writing down of its answer take.
const sendingFor = 2 * time.Minute

// numberOf is the order that a notification concerns. The resource of an order's own
// notification is the order.
func numberOf(told receiver.Notification) v1alpha1.CarrierID {
	if told.Hint.OrderID == 0 && told.Event == carrier.EventOrderRejected {
		return v1alpha1.CarrierIDOf(told.Hint.ID)
	}
	return v1alpha1.CarrierIDOf(told.Hint.OrderID)
}

func factOf(told receiver.Notification) decide.Notification {
	return decide.Notification{Event: told.Event, Reason: told.Hint.Reason, Unverified: !told.Signed}
}

func (n *Notifications) ordersNumbered(
	ctx context.Context, told receiver.Notification, number v1alpha1.CarrierID,
) ([]*v1alpha1.ServiceOrder, error) {
	if number == "" {
		return nil, nil
	}
	return those(ctx, n, &v1alpha1.ServiceOrderList{}, within{told.Account, fieldOrderID, string(number)},
		func(order *v1alpha1.ServiceOrder) bool { return order.Status.OrderID == number })
}

// appointmentCancelled writes down that the carrier cancelled the appointment of an order.
func (n *Notifications) appointmentCancelled(ctx context.Context, told receiver.Notification) error {
	number := numberOf(told)
	if number == "" {
		return nil
	}
	orders, err := n.ordersNumbered(ctx, told, number)
	if err != nil {
		return err
	}
	appointments, err := those(ctx, n, &v1alpha1.AppointmentRequestList{}, allOf(told.Account),
		func(appointment *v1alpha1.AppointmentRequest) bool { return isFor(appointment, number, orders) })
	if err != nil {
		return err
	}
	for _, appointment := range appointments {
		key := client.ObjectKeyFromObject(appointment)
		err = errors.Join(err, n.Appointments.RecordCancellation(ctx, key, number, factOf(told)))
	}
	return err
}

// isFor says whether an appointment-request is for an order, by its number or by one of its
// objects.
func isFor(appointment *v1alpha1.AppointmentRequest, number v1alpha1.CarrierID, orders []*v1alpha1.ServiceOrder) bool {
	if id := appointment.Spec.OrderID; id != "" {
		return id == number
	}
	ref := appointment.Spec.OrderRef
	return ref != nil && slices.ContainsFunc(orders, func(order *v1alpha1.ServiceOrder) bool {
		return order.Name == ref.Name
	})
}

// within is where an object is looked for: among those of an account, by a field.
type within struct {
	account      types.NamespacedName
	field, value string
}

func allOf(account types.NamespacedName) within { return within{account, fieldAccount, account.Name} }

// those are the objects that belong to the account, and to no other, and are wanted.
func those[S Subject](
	ctx context.Context, from client.Reader, list client.ObjectList, where within, wanted func(S) bool,
) ([]S, error) {
	var found []S
	by := client.MatchingFields{where.field: where.value}
	err := from.List(ctx, list, client.InNamespace(where.account.Namespace), by)
	if err == nil {
		err = meta.EachListItem(list, func(item runtime.Object) error {
			if subject, is := item.(S); is && subject.AccountName() == where.account.Name && wanted(subject) {
				found = append(found, subject)
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("find what a notification concerns: %w", err)
	}
	return found, nil
}
