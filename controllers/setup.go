// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// LongestSubmission is the longest that a pass continues after it was told to stop: until its
// request is answered, and the answer is recorded.
const LongestSubmission = carrier.LongestCall + operate.RecordWithin

// Submissions counts those in progress. A manager that lost its lease ends without waiting for its
// passes.
type Submissions = operate.Submissions

// Options configures the controllers. Time, ids and the HTTP transport are injected, so that a test
// can control them.
type Options struct {
	Namespaces    []string      // the namespaces to watch; none: all
	AllowInsecure bool          // allows http and loopback carriers
	Submit        bool          // whether requests may be sent at all
	Marker        string        // the RequestLedger that is the marker; "": treat the installation as acknowledged
	Workers       int           // concurrent passes, per kind
	DoubtAfter    time.Duration // delay before an object that became less settled is checked again; 0: [DoubtAfter]
	UserAgent     string
	Now           func() time.Time
	Elapsed       func() time.Duration // monotonic; nil: from Now, whose times have a monotonic reading in production
	NewID         func() string
	Sign          carrier.Signer                            // signs each assertion; nil: [carrier.Sign]
	Orders        Orders                                    // resolves orderRef; nil: from ServiceOrders
	Wrap          func(http.RoundTripper) http.RoundTripper // wraps every call to a carrier; nil: not wrapped
	EventsAddress string                                    // of the receiver of notifications; "0": no receiver
	EventsCertDir string                                    // its certificate: tls.crt and tls.key
	Submissions   *Submissions                              // counts those in progress; nil: shutdown does not wait
	NewQueue      NewQueue                                  // nil: controller-runtime's own work queues
}

// elapsed returns the monotonic clock.
func (o Options) elapsed() func() time.Duration {
	if o.Elapsed != nil {
		return o.Elapsed
	}
	began := o.Now()
	return func() time.Duration { return o.Now().Sub(began) }
}

// NewQueue creates the work queue of a controller. Delayed passes wait in the queue, which uses the
// machine's timers unless the implementation has others.
type NewQueue func(
	controller string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request]

// Reconcilers has the operator's controllers, connected to each other.
type Reconcilers struct {
	Accounts *CarrierAccountReconciler
	Services *BroadbandServiceReconciler
	Orders   *ServiceOrderReconciler

	Appointments *AppointmentRequestReconciler
	OneShots     map[string]*OneShotReconciler // by kind

	Notifications *Notifications
	Receiver      *receiver.Receiver // an [http.Handler]
	Answers       *Answers
	Marker        *Marker
	Ledgers       *LedgerReconciler
}

// New creates and connects the controllers. The client may read from a cache; live bypasses it.
func New(cluster client.Client, live client.Reader, events operate.Recorder, options Options) Reconcilers {
	events = operate.Concise{Recorder: events}
	registry := &accounts.Registry{
		Secrets: live, AllowInsecure: options.AllowInsecure, UserAgent: options.UserAgent, Workers: options.Workers,
		Now: options.Now, NewID: options.NewID, Sign: options.Sign, Wrap: options.Wrap,
	}
	operator := &Operator{
		Client: cluster, Accounts: registry, Submit: options.Submit, Namespaces: options.Namespaces,
		DoubtAfter: cmp.Or(options.DoubtAfter, DoubtAfter),
		Ledgers:    &operate.Ledgers{Cluster: cluster, Live: live},
		Protocol: &operate.Protocol{
			Cluster: cluster, Live: live, Events: events, Now: options.Now, NewID: options.NewID,
			Elapsed: options.elapsed(), Submissions: options.Submissions,
			Memory: operate.NewMemory(options.NewID()),
		},
	}
	operator.Marker = &Marker{Operator: operator, name: options.Marker}
	operator.Ledgers.MayCreate = operator.Marker.Verify
	orders := &ServiceOrderReconciler{Operator: operator}
	if options.Orders == nil {
		options.Orders = orders
	}
	appointments := &AppointmentRequestReconciler{Operator: operator}
	notifications := &Notifications{Operator: operator, Orders: orders, Appointments: appointments}
	login := &CarrierAccountReconciler{Operator: operator}
	login.Receiver = receiver.New(receiver.Config{
		Secret: func(
			ctx context.Context, namespace string, ref v1alpha1.SecretKeyReference, addresses ...string,
		) ([]byte, error) {
			return accounts.SecretKey(ctx, live, namespace, ref, addresses...)
		},
		Take: notifications.Take, Changed: login.lookAgain, Now: options.Now,
	})
	registry.Changed = login.lookAgain
	return Reconcilers{
		Notifications: notifications, Receiver: login.Receiver,
		Orders:       orders,
		Accounts:     login,
		Services:     &BroadbandServiceReconciler{Operator: operator, Orders: options.Orders},
		Appointments: appointments,
		OneShots:     oneShots(operator),
		Answers:      &Answers{Operator: operator},
		Marker:       operator.Marker,
		Ledgers:      &LedgerReconciler{Operator: operator},
	}
}

// operatorName is the field manager of the operator's writes, and the reporter of its Events.
const operatorName = "broadband-operator"

// Setup adds the controllers to a manager.
func Setup(ctx context.Context, mgr ctrl.Manager, options Options) error {
	owner := client.WithFieldOwner(mgr.GetClient(), operatorName)
	reconcilers := New(owner, mgr.GetAPIReader(), mgr.GetEventRecorder(operatorName), options)
	if err := IndexFields(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	workers, notified := controller.Options{
		MaxConcurrentReconciles: max(options.Workers, 1), NewQueue: options.NewQueue,
	}, newQueue()
	if err := reconcilers.Accounts.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up CarrierAccount: %w", err)
	}
	if err := reconcilers.Services.setup(mgr, notified, workers); err != nil {
		return fmt.Errorf("set up BroadbandService: %w", err)
	}
	if err := reconcilers.Orders.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up ServiceOrder: %w", err)
	}
	if err := reconcilers.Appointments.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up AppointmentRequest: %w", err)
	}
	if err := setupOneShots(mgr, reconcilers.OneShots, workers); err != nil {
		return err
	}
	if err := reconcilers.Ledgers.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up RequestLedger: %w", err)
	}
	err := errors.Join(mgr.Add(reconcilers.Answers), mgr.Add(reconcilers.Marker), reconcilers.Answers.setupMetrics(ctx))
	if err != nil {
		return fmt.Errorf("set up the recording of answers, the marker, and the metrics: %w", err)
	}
	if err := setupNotifications(mgr, reconcilers, notified, options); err != nil {
		return fmt.Errorf("set up the receiver of notifications: %w", err)
	}
	return nil
}

// setup reconciles an account when a user changes it, when lookAgain is called for it, when the
// marker changes, and some time after it became less settled.
func (r *CarrierAccountReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	again := newQueue()
	r.again = again.put
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(wanted())).
		Watches(&v1alpha1.CarrierAccount{}, recheck(r.DoubtAfter)).
		Watches(&v1alpha1.RequestLedger{}, everyOne(r, &v1alpha1.CarrierAccountList{}), ofMarker()).
		WatchesRawSource(again.source()).
		WithOptions(options).
		Complete(r)
}

// wanted passes changes made by a user. Our own status writes do not trigger a pass.
func wanted() predicate.Predicate {
	return predicate.Or(declared(), predicate.AnnotationChangedPredicate{})
}

// declared passes changes of a spec.
func declared() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{UpdateFunc: replaced})
}

// replaced reports whether an object has replaced another of the same name. If a watch is
// interrupted while one is deleted and the other created, they appear as one updated object.
func replaced(update event.UpdateEvent) bool {
	return update.ObjectOld.GetUID() != update.ObjectNew.GetUID()
}

// otherAccount passes account changes that may unblock the account's objects. The carrier's first
// answer is excluded: it was the answer to a call for one of the objects, and none waits for it.
func otherAccount() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(update event.UpdateEvent) bool {
		before, isAccount := update.ObjectOld.(*v1alpha1.CarrierAccount)
		after, isStill := update.ObjectNew.(*v1alpha1.CarrierAccount)
		return !isAccount || !isStill || !answeredFirst(before, after)
	}}
}

// answeredFirst reports whether the only change is that the condition Carrier was added, and is
// True.
func answeredFirst(before, after *v1alpha1.CarrierAccount) bool {
	if meta.FindStatusCondition(before.Status.Conditions, v1alpha1.ConditionCarrier) != nil ||
		!meta.IsStatusConditionTrue(after.Status.Conditions, v1alpha1.ConditionCarrier) {
		return false
	}
	rest := after.DeepCopy()
	meta.RemoveStatusCondition(&rest.Status.Conditions, v1alpha1.ConditionCarrier)
	rest.ResourceVersion, rest.ManagedFields = before.ResourceVersion, before.ManagedFields
	return equality.Semantic.DeepEqual(before, rest)
}

// gone passes deletions: they may free a service for another object.
func gone() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  replaced,
		DeleteFunc:  func(event.DeleteEvent) bool { return true },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// listed returns requests to reconcile the objects of a list.
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

// accountOf returns the account of an object of any kind that sends requests.
func accountOf(object client.Object) []string {
	subject, isSubject := object.(Subject)
	if !isSubject {
		return nil
	}
	return []string{subject.AccountName()}
}
