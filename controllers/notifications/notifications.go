// SPDX-License-Identifier: Apache-2.0

// Package notifications acts on what the carrier reports of its own accord.
package notifications

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/appointments"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/orders"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// eventNotRecorded is the reason of the Event about a rejection that is not recorded.
const eventNotRecorded = "RejectionNotRecorded"

// Notifications handles the carrier's notifications. Most of them only trigger a reconciliation of
// their object now, and the result depends only on what that reconciliation reads. Two events
// report something that cannot be read, so they are recorded.
type Notifications struct {
	*pass.Operator

	Orders       *orders.Reconciler
	Appointments *appointments.Reconciler
	Enqueue      func(types.NamespacedName) // reconciles a BroadbandService now; nil: not called
	EnqueueOrder func(types.NamespacedName) // reconciles a ServiceOrder now; nil: not called
}

// Take handles a notification. An error makes the carrier send it again later.
func (n *Notifications) Take(ctx context.Context, notification receiver.Notification) error {
	if notification.Event == carrier.EventOrderRejected {
		return errors.Join(n.orderRejected(ctx, notification), n.wakeOrders(ctx, notification))
	}
	if notification.Event == carrier.EventAppointmentCancelled {
		return errors.Join(n.appointmentCancelled(ctx, notification), n.wakeOrders(ctx, notification))
	}
	if !n.IsLeading() {
		return nil // the leader polls; only a hint is lost
	}
	return errors.Join(n.wakeServices(ctx, notification), n.wakeOrders(ctx, notification))
}

// wakeOrders reconciles the orders that a notification concerns, so that each of them is read
// now. It does nothing if their carrier does not have the extension OrderRead.
func (n *Notifications) wakeOrders(ctx context.Context, notification receiver.Notification) error {
	number := numberOf(notification)
	if number == "" || !n.IsLeading() {
		return nil
	}
	var account v1alpha1.CarrierAccount
	if err := n.Get(ctx, notification.Account, &account); err != nil {
		return fmt.Errorf("read the account that a notification is for: %w", err)
	}
	if !account.Extends(v1alpha1.ExtensionOrderRead) {
		return nil
	}
	found, err := n.ordersNumbered(ctx, notification, number)
	now := n.Protocol.Now()
	for _, order := range found {
		n.Protocol.Memory.Change(order.UID, now, func(memory *decide.Memory) { memory.NotifiedAt = now })
		if n.EnqueueOrder != nil {
			n.EnqueueOrder(client.ObjectKeyFromObject(order))
		}
	}
	return err
}

// wakeServices reconciles the services that a notification concerns. Their requests are polled
// earlier because of NotifiedAt: see NextPoll in pkg/decide/pauses.go.
func (n *Notifications) wakeServices(ctx context.Context, notification receiver.Notification) error {
	services, err := n.servicesOf(ctx, notification)
	if err != nil {
		return err
	}
	now := n.Protocol.Now()
	for _, service := range services {
		n.Protocol.Memory.Change(service.UID, now, func(memory *decide.Memory) {
			memory.NotifiedAt = now
			if notification.Event == carrier.EventCancelled || notification.Event == carrier.EventCancellationRejected {
				memory.CancellationNotifiedAt = now
			}
		})
		if n.Enqueue != nil {
			n.Enqueue(client.ObjectKeyFromObject(service))
		}
	}
	return nil
}

// servicesOf returns the account's services with the notification's service number or, without a
// match, those with an open request of its number.
func (n *Notifications) servicesOf(
	ctx context.Context, notification receiver.Notification,
) ([]*v1alpha1.BroadbandService, error) {
	var found []*v1alpha1.BroadbandService
	for _, id := range []v1alpha1.CarrierID{
		v1alpha1.CarrierIDOf(notification.Hint.ServiceID), v1alpha1.CarrierIDOf(notification.Hint.ID),
	} {
		for _, field := range []string{index.ServiceID, index.LearnedID} {
			services, err := n.services(ctx, notification, field, id)
			if err != nil {
				return nil, err
			}
			found = append(found, services...)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return n.servicesWithRequest(ctx, notification)
}

// services returns the account's services that have the given number in the given field.
func (n *Notifications) services(
	ctx context.Context, notification receiver.Notification, field string, id v1alpha1.CarrierID,
) ([]*v1alpha1.BroadbandService, error) {
	if id == "" {
		return nil, nil
	}
	return listOf(ctx, n, &v1alpha1.BroadbandServiceList{}, within{notification.Account, field, string(id)},
		func(service *v1alpha1.BroadbandService) bool { return service.ServiceNumber() == id })
}

// servicesWithRequest returns the account's services with an open request that has the
// notification's number.
func (n *Notifications) servicesWithRequest(
	ctx context.Context, notification receiver.Notification,
) ([]*v1alpha1.BroadbandService, error) {
	if notification.Hint.RequestID == 0 && notification.Hint.ID == 0 {
		return nil, nil
	}
	return listOf(ctx, n, &v1alpha1.BroadbandServiceList{}, allOf(notification.Account),
		func(service *v1alpha1.BroadbandService) bool {
			return hasRequest(service, notification.Hint.RequestID) || hasRequest(service, notification.Hint.ID)
		})
}

func hasRequest(service *v1alpha1.BroadbandService, id int64) bool {
	for _, open := range service.OpenRequests() {
		if handle, err := decide.HandleOf(open); err == nil && handle.HasID(id) {
			return true
		}
	}
	return false
}

// numberOf returns the number of the order that a notification concerns. If the notification is
// about an order itself, this is the number of its resource.
func numberOf(notification receiver.Notification) v1alpha1.CarrierID {
	if notification.Hint.OrderID == 0 && notification.Event == carrier.EventOrderRejected {
		return v1alpha1.CarrierIDOf(notification.Hint.ID)
	}
	return v1alpha1.CarrierIDOf(notification.Hint.OrderID)
}

func factOf(notification receiver.Notification) decide.Notification {
	return decide.Notification{
		Event: notification.Event, Reason: notification.Hint.Reason, Unverified: !notification.Signed,
		Appointment: notification.Appointment,
	}
}

func (n *Notifications) ordersNumbered(
	ctx context.Context, notification receiver.Notification, number v1alpha1.CarrierID,
) ([]*v1alpha1.ServiceOrder, error) {
	if number == "" {
		return nil, nil
	}
	return listOf(ctx, n, &v1alpha1.ServiceOrderList{}, within{notification.Account, index.OrderID, string(number)},
		func(order *v1alpha1.ServiceOrder) bool { return order.Status.OrderID == number })
}

// appointmentCancelled records that the carrier cancelled the appointment for an order.
func (n *Notifications) appointmentCancelled(ctx context.Context, notification receiver.Notification) error {
	number := numberOf(notification)
	if number == "" {
		return nil
	}
	placed, err := n.ordersNumbered(ctx, notification, number)
	if err != nil {
		return err
	}
	found, err := listOf(ctx, n, &v1alpha1.AppointmentRequestList{}, allOf(notification.Account),
		func(appointment *v1alpha1.AppointmentRequest) bool { return isFor(appointment, number, placed) })
	if err != nil {
		return err
	}
	for _, appointment := range found {
		key := client.ObjectKeyFromObject(appointment)
		err = errors.Join(err, n.Appointments.RecordCancellation(ctx, key, number, factOf(notification)))
	}
	return err
}

// isFor reports whether an appointment-request is for an order, by the order's number or by the
// name of one of the order's objects.
func isFor(appointment *v1alpha1.AppointmentRequest, number v1alpha1.CarrierID, placed []*v1alpha1.ServiceOrder) bool {
	if id := appointment.Spec.OrderID; id != "" {
		return id == number
	}
	ref := appointment.Spec.OrderRef
	return ref != nil && slices.ContainsFunc(placed, func(order *v1alpha1.ServiceOrder) bool {
		return order.Name == ref.Name
	})
}

// within limits a search to the objects of an account, by a field.
type within struct {
	account      types.NamespacedName
	field, value string
}

func allOf(account types.NamespacedName) within { return within{account, index.Account, account.Name} }

// listOf returns the wanted objects that belong to the account and to no other. They are the
// cache's own, and must not be changed.
func listOf[S pass.Subject](
	ctx context.Context, from client.Reader, list client.ObjectList, where within, wanted func(S) bool,
) ([]S, error) {
	var found []S
	err := apiserver.Each(ctx, from, list, func(subject S) {
		if subject.AccountName() == where.account.Name && wanted(subject) {
			found = append(found, subject)
		}
	}, client.InNamespace(where.account.Namespace), client.MatchingFields{where.field: where.value})
	if err != nil {
		return nil, fmt.Errorf("find what a notification concerns: %w", err)
	}
	return found, nil
}

// Setup makes this replica listen for notifications. requeue reconciles an account whose status may
// have to change.
func Setup(
	mgr ctrl.Manager, listener *receiver.Listener, registry *sessions.Registry, requeue func(types.NamespacedName),
) error {
	if err := mgr.Add(listener); err != nil {
		return fmt.Errorf("add the listener: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("carrieraccount-events").
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(watch.SpecChanges())).
		WithOptions(controller.Options{NeedLeaderElection: new(false)}).
		Complete(&receiverReconciler{
			Reader: mgr.GetClient(), receiver: listener.Receiver, sessions: registry, requeue: requeue,
		})
}

// receiverReconciler updates the receiver of one replica from the accounts and their Secrets. Every
// replica has its own receiver, whether it leads or not. Nothing is written to the API server. A
// notification that is recorded opens a session of its account, so a replica that does not lead also
// has to close the session once the account is deleted.
type receiverReconciler struct {
	client.Reader

	receiver *receiver.Receiver
	sessions *sessions.Registry
	requeue  func(types.NamespacedName) // reconciles an account whose status may have to change
}

// Reconcile reads an account's shared secrets, and repeats that every few seconds. Secrets are not
// watched, and a secret that was replaced because it leaked must soon become invalid.
func (e *receiverReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	account := &v1alpha1.CarrierAccount{}
	err := e.Get(ctx, request.NamespacedName, account)
	if err != nil || !account.DeletionTimestamp.IsZero() {
		e.receiver.Forget(request.NamespacedName)
		if err = client.IgnoreNotFound(err); err == nil {
			e.sessions.Close(request.NamespacedName)
		}
		return ctrl.Result{}, err
	}
	before, listened := e.receiver.Listens(request.NamespacedName)
	_, listenErr := e.receiver.Learn(ctx, account)
	after, listens := e.receiver.Listens(request.NamespacedName)
	if before != after || listened != listens {
		e.requeue(request.NamespacedName)
	}
	if account.Spec.Events == nil && listenErr == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: pass.SecretInterval}, nil
}
