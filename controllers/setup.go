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

// LongestSubmission is how long a pass goes on after it was told to stop: until the request
// that is out is answered, and the answer is on record.
const LongestSubmission = carrier.LongestCall + operate.RecordWithin

// Submissions are those under way. A manager that has lost its lease ends without its passes.
type Submissions = operate.Submissions

// Options is what the controllers need beside the manager. Time, ids and the way to
// the network come from outside, so that a test can own them.
type Options struct {
	Namespaces    []string      // those that are looked after; none: all
	AllowInsecure bool          // http and loopback carriers
	Submit        bool          // whether requests may be sent at all
	Marker        string        // the RequestLedger that is the marker; "": an installation that was acknowledged
	Workers       int           // passes at a time, per kind
	DoubtAfter    time.Duration // how long a step back stands before it is doubted; 0: [DoubtAfter]
	UserAgent     string
	Now           func() time.Time
	Elapsed       func() time.Duration // monotonic; nil: by Now, whose times have a monotonic reading in production
	NewID         func() string
	Sign          carrier.Signer                            // signs each assertion; nil: [carrier.Sign]
	Orders        Orders                                    // where orderRef leads; nil: to ServiceOrders
	Wrap          func(http.RoundTripper) http.RoundTripper // stands around every call to a carrier; nil: nothing does
	EventsAddress string                                    // of the receiver of notifications; "0": there is none
	EventsCertDir string                                    // its certificate: tls.crt and tls.key
	Submissions   *Submissions                              // counts those under way; nil: nobody waits for them
	NewQueue      NewQueue                                  // nil: controller-runtime's own work queues
}

// elapsed is the monotonic clock.
func (o Options) elapsed() func() time.Duration {
	if o.Elapsed != nil {
		return o.Elapsed
	}
	began := o.Now()
	return func() time.Duration { return o.Now().Sub(began) }
}

// NewQueue makes the work queue of a controller. A pass that is to be taken later waits in the
// queue, whose timers are the machine's unless the queue has others.
type NewQueue func(
	controller string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request]

// Reconcilers are the operator's controllers, wired to one another.
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

// New wires the controllers. The client may read from a cache; live reads past it.
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
	operator.Ledgers.MayCreate = operator.Marker.Stands
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

// operatorName is who writes, by the managed fields of an object and by its Events.
const operatorName = "broadband-operator"

// Setup puts the controllers into a manager.
func Setup(ctx context.Context, mgr ctrl.Manager, options Options) error {
	owner := client.WithFieldOwner(mgr.GetClient(), operatorName)
	reconcilers := New(owner, mgr.GetAPIReader(), mgr.GetEventRecorder(operatorName), options)
	if err := IndexFields(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	workers, told := controller.Options{
		MaxConcurrentReconciles: max(options.Workers, 1), NewQueue: options.NewQueue,
	}, newQueue()
	if err := reconcilers.Accounts.setup(mgr, workers); err != nil {
		return fmt.Errorf("set up CarrierAccount: %w", err)
	}
	if err := reconcilers.Services.setup(mgr, told, workers); err != nil {
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
	if err := setupNotifications(mgr, reconcilers, told, options); err != nil {
		return fmt.Errorf("set up the receiver of notifications: %w", err)
	}
	return nil
}

// setup has an account looked at when a user changed it, when it asks for that itself, when the marker
// changes, and some time after it has been called unready.
func (r *CarrierAccountReconciler) setup(mgr ctrl.Manager, options controller.Options) error {
	again := newQueue()
	r.again = again.put
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(wanted())).
		Watches(&v1alpha1.CarrierAccount{}, doubt(r.DoubtAfter)).
		Watches(&v1alpha1.RequestLedger{}, everyOne(r, &v1alpha1.CarrierAccountList{}), ofMarker()).
		WatchesRawSource(again.source()).
		WithOptions(options).
		Complete(r)
}

// wanted lets through what a user did. Our own status writes are not news to us.
func wanted() predicate.Predicate {
	return predicate.Or(declared(), predicate.AnnotationChangedPredicate{})
}

// declared lets through that a spec is another.
func declared() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{UpdateFunc: replaced})
}

// replaced: an object has taken the place of another of its name. A watch that was cut while
// the one was deleted and the other created shows them as one object that was updated.
func replaced(update event.UpdateEvent) bool {
	return update.ObjectOld.GetUID() != update.ObjectNew.GetUID()
}

// otherAccount lets through what may let the objects of an account go on. That the carrier has
// answered for the first time is known from a call for one of them, and none waits for it.
func otherAccount() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(update event.UpdateEvent) bool {
		before, isAccount := update.ObjectOld.(*v1alpha1.CarrierAccount)
		after, isStill := update.ObjectNew.(*v1alpha1.CarrierAccount)
		return !isAccount || !isStill || !answeredFirst(before, after)
	}}
}

// answeredFirst: the condition Carrier is there and true, was not there before, and nothing else is
// another.
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

// gone lets through that an object has left, which may free its service for another.
func gone() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  replaced,
		DeleteFunc:  func(event.DeleteEvent) bool { return true },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
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

// accountOf is the account of an object of any kind that sends requests.
func accountOf(object client.Object) []string {
	subject, isSubject := object.(Subject)
	if !isSubject {
		return nil
	}
	return []string{subject.AccountName()}
}
