// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// Options is what the controllers need beside the manager. Time, ids and the way to
// the network come from outside, so that a test can own them.
type Options struct {
	OperatorNamespace string // where the records of deleted objects are kept
	AllowInsecure     bool   // http and loopback carriers
	Submit            bool   // whether requests may be sent at all
	Workers           int    // passes at a time, per kind
	UserAgent         string
	Now               func() time.Time
	NewID             func() string
	Orders            Orders                                    // where orderRef leads; nil: to ServiceOrders
	Wrap              func(http.RoundTripper) http.RoundTripper // stands around every call to a carrier; nil: nothing does
}

// Reconcilers are the operator's controllers, wired to one another.
type Reconcilers struct {
	Accounts *CarrierAccountReconciler
	Services *BroadbandServiceReconciler
	Orders   *ServiceOrderReconciler

	Appointments *AppointmentRequestReconciler
	OneShots     map[string]*OneShotReconciler // by kind
}

// New wires the controllers. The client may read from a cache; live reads past it.
func New(cluster client.Client, live client.Reader, events operate.Recorder, options Options) Reconcilers {
	book := &accounts.Book{
		Secrets: live, AllowInsecure: options.AllowInsecure, UserAgent: options.UserAgent, Workers: options.Workers,
		Now: options.Now, NewID: options.NewID, Wrap: options.Wrap,
	}
	operator := &Operator{
		Client: cluster, Accounts: book, Submit: options.Submit,
		Protocol: &operate.Protocol{
			Cluster: cluster, Live: live, Events: events, Now: options.Now, NewID: options.NewID,
			Ledger: operate.NewLedger(options.NewID()),
		},
	}
	orders := &ServiceOrderReconciler{
		Operator: operator,
		Claims:   &operate.Claims{Cluster: cluster, Live: live, Namespace: options.OperatorNamespace},
	}
	if options.Orders == nil {
		options.Orders = orders
	}
	return Reconcilers{
		Orders:   orders,
		Accounts: &CarrierAccountReconciler{Client: cluster, Accounts: book, Events: events, Now: options.Now},
		Services: &BroadbandServiceReconciler{
			Operator: operator, Orders: options.Orders,
			Orphans: &operate.Orphans{Cluster: cluster, Live: live, Namespace: options.OperatorNamespace},
		},
		Appointments: &AppointmentRequestReconciler{Operator: operator},
		OneShots:     oneShots(operator),
	}
}

// Setup puts the controllers into a manager.
func Setup(ctx context.Context, mgr ctrl.Manager, options Options) error {
	reconcilers := New(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetEventRecorder("broadband-operator"), options)
	if err := index(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	workers := controller.Options{MaxConcurrentReconciles: max(options.Workers, 1)}
	if err := reconcilers.Accounts.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up CarrierAccount: %w", err)
	}
	if err := reconcilers.Services.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up BroadbandService: %w", err)
	}
	if err := reconcilers.Orders.setup(ctx, mgr, workers); err != nil {
		return fmt.Errorf("set up ServiceOrder: %w", err)
	}
	if err := reconcilers.Appointments.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up AppointmentRequest: %w", err)
	}
	if err := setupOneShots(ctx, mgr, reconcilers.OneShots, workers); err != nil {
		return err
	}
	return nil
}

// setup has an account looked at when its spec changes and when its login fails in use.
func (r *CarrierAccountReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.TypedChannel(r.failedLogins(), handler.TypedEnqueueRequestsFromMapFunc(itself))).
		WithOptions(options).
		Complete(r)
}

// failedLogins are the accounts whose login failed in use.
func (r *CarrierAccountReconciler) failedLogins() <-chan event.TypedGenericEvent[types.NamespacedName] {
	failed := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	r.Accounts.LoginFailed = func(account types.NamespacedName) {
		select {
		case failed <- event.TypedGenericEvent[types.NamespacedName]{Object: account}:
		default: // the account is looked at often enough already
		}
	}
	return failed
}

// setup has a service looked at when a user changed it, when its account changes and
// when another object of the same service is gone.
func (r *BroadbandServiceReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BroadbandService{}, builder.WithPredicates(wanted())).
		Watches(&v1alpha1.CarrierAccount{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount)).
		Watches(&v1alpha1.ServiceOrder{}, handler.EnqueueRequestsFromMapFunc(r.ofOrder)).
		Watches(&v1alpha1.BroadbandService{}, handler.EnqueueRequestsFromMapFunc(r.rivals),
			builder.WithPredicates(gone())).
		WithOptions(options).
		Complete(r)
}

func itself(_ context.Context, account types.NamespacedName) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: account}}
}

// wanted lets through what a user did. Our own status writes are not news to us.
func wanted() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{})
}

// gone lets through that an object has left, which may free its service for another.
func gone() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		DeleteFunc:  func(event.DeleteEvent) bool { return true },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// ofAccount finds the services that wait for an account.
func (r *BroadbandServiceReconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.named(ctx, client.InNamespace(account.GetNamespace()), client.MatchingFields{fieldAccount: account.GetName()})
}

// rivals finds the other objects of a service whose object is gone, and forgets that one.
func (r *BroadbandServiceReconciler) rivals(ctx context.Context, object client.Object) []reconcile.Request {
	r.Protocol.Ledger.Forget(object.GetUID())
	var requests []reconcile.Request
	service, isService := object.(*v1alpha1.BroadbandService)
	if isService && service.ServiceNumber() != 0 {
		id := strconv.FormatInt(service.ServiceNumber(), 10)
		requests = append(r.named(ctx, client.MatchingFields{fieldServiceID: id}),
			r.named(ctx, client.MatchingFields{fieldLearnedID: id})...)
	}
	return requests
}

func (r *BroadbandServiceReconciler) named(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return listed(ctx, r, &v1alpha1.BroadbandServiceList{}, options...)
}

// listed are the objects of a list, to be looked at.
func listed(
	ctx context.Context, from client.Reader, list client.ObjectList, options ...client.ListOption,
) []reconcile.Request {
	var requests []reconcile.Request
	err := from.List(ctx, list, options...)
	if err == nil {
		err = meta.EachListItem(list, func(item runtime.Object) error {
			if object, is := item.(client.Object); is {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
			return nil
		})
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot list objects to look at")
		return nil
	}
	return requests
}

// index lets services be found by account and by service id.
func index(ctx context.Context, indexer client.FieldIndexer) error {
	fields := map[string]client.IndexerFunc{
		fieldAccount: accountOf, fieldServiceID: serviceIDOf, fieldLearnedID: learnedIDOf,
		fieldOrderRef: orderRefOf,
	}
	for field, values := range fields {
		if err := indexer.IndexField(ctx, &v1alpha1.BroadbandService{}, field, values); err != nil {
			return fmt.Errorf("index BroadbandService by %s: %w", field, err)
		}
	}
	return nil
}

// accountOf is the account of an object of any kind that sends requests.
func accountOf(object client.Object) []string {
	subject, isSubject := object.(Subject)
	if !isSubject {
		return nil
	}
	return []string{subject.AccountName()}
}

func serviceIDOf(object client.Object) []string {
	service, isService := object.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.ServiceID == nil {
		return nil
	}
	return []string{strconv.FormatInt(*service.Spec.ServiceID, 10)}
}

// learnedIDOf is the number that a service took from its order.
func learnedIDOf(object client.Object) []string {
	service, isService := object.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.ServiceID != nil || service.Status.ServiceID == 0 {
		return nil
	}
	return []string{strconv.FormatInt(service.Status.ServiceID, 10)}
}
