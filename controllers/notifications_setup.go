// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
)

// receiverReconciler updates the receiver of one replica from the accounts and their Secrets. Every
// replica has its own, whether it leads or not; it writes nothing to the API server.
type receiverReconciler struct {
	client.Reader

	receiver *receiver.Receiver
	changed  *CarrierAccountReconciler
}

// setupNotifications makes this replica listen for notifications.
func setupNotifications(mgr ctrl.Manager, reconcilers Reconcilers, notified *queue, options Options) error {
	counter, err := receiver.NewCounter(metrics.Registry)
	if err != nil {
		return err
	}
	reconcilers.Receiver.CountIn(counter)
	reconcilers.Notifications.Leads, reconcilers.Notifications.Look = leads(mgr), notified.put
	listener := &receiver.Listener{
		Receiver: reconcilers.Receiver, Address: options.EventsAddress, CertDir: options.EventsCertDir,
	}
	if err := mgr.Add(listener); err != nil {
		return fmt.Errorf("add the listener: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("carrieraccount-events").
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(declared())).
		WithOptions(controller.Options{NeedLeaderElection: new(false)}).
		Complete(&receiverReconciler{Reader: mgr.GetClient(), receiver: reconcilers.Receiver, changed: reconcilers.Accounts})
}

// leads returns a function that reports whether a manager was elected, or needs no election.
func leads(mgr ctrl.Manager) func() bool {
	return func() bool {
		select {
		case <-mgr.Elected():
			return true
		default:
			return false
		}
	}
}

// Reconcile reads an account's shared secrets, again every few seconds. Secrets are not watched,
// and a secret that was replaced because it leaked must soon become invalid.
func (e *receiverReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	account := &v1alpha1.CarrierAccount{}
	err := e.Get(ctx, request.NamespacedName, account)
	if err != nil || !account.DeletionTimestamp.IsZero() {
		e.receiver.Forget(request.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before, listened := e.receiver.Listens(request.NamespacedName)
	_, listenErr := e.receiver.Learn(ctx, account)
	after, listens := e.receiver.Listens(request.NamespacedName)
	if before != after || listened != listens {
		e.changed.lookAgain(request.NamespacedName)
	}
	if account.Spec.Events == nil && listenErr == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: secretLook}, nil
}
