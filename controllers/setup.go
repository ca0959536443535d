// SPDX-License-Identifier: Apache-2.0

// Package controllers creates the operator's controllers, connects them, and adds them to a manager.
//
// Each subject has a package: [accounts], [services], [orders], [appointments], [oneshots], [ledgers]
// and [notifications]. Every object that sends requests is reconciled by a pass of package [pass],
// which takes its steps by the protocol of package operate. Packages [watch] and [index] say which
// changes start a pass, and package [installation] what this process may do in its cluster.
package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/appointments"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/installation"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestlog"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/ledgers"
	"github.com/broadband-operator/broadband-operator/controllers/notifications"
	"github.com/broadband-operator/broadband-operator/controllers/oneshots"
	"github.com/broadband-operator/broadband-operator/controllers/orders"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/services"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// LongestSubmission is the maximum time for which a pass continues after shutdown has begun, until
// the response to its request is recorded.
const LongestSubmission = carrier.LongestCall + operate.RecordWithin

// Submissions counts the submissions in progress. A manager that has lost its lease ends without
// waiting for its passes.
type Submissions = operate.Submissions

// Options configures the controllers. Time, ids and the HTTP transport are injected, so that a test
// can control them.
type Options struct {
	Namespaces    []string           // the namespaces to watch; none: all
	AllowInsecure bool               // allows http and loopback carriers
	CarrierHosts  carrier.Hosts      // the hosts that an account may name; none: any
	Submit        bool               // whether requests may be sent at all
	Marker        string             // the RequestLedger that is the marker; "": treat the installation as acknowledged
	Policies      []admission.Policy // nothing is sent without them; none: something else checks approvals
	Workers       int                // concurrent passes, per kind
	RecheckAfter  time.Duration      // how long [watch.Recheck] waits; 0: [watch.RecheckAfter]
	UserAgent     string
	Now           func() time.Time
	Elapsed       func() time.Duration // monotonic; nil: from Now, whose times have a monotonic reading in production
	NewID         func() string
	Sign          carrier.Signer                            // signs each assertion; nil: [carrier.Sign]
	Orders        services.Orders                           // resolves orderRef; nil: from ServiceOrders
	Wrap          func(http.RoundTripper) http.RoundTripper // wraps every call to a carrier; nil: not wrapped
	MinTimeout    time.Duration                             // as in [carrier.Config]
	EventsAddress string                                    // of the receiver of notifications; "0": no receiver
	EventsCertDir string                                    // its certificate: tls.crt and tls.key
	RequestLog    io.Writer                                 // nil: no request log
	Submissions   *Submissions                              // counts those in progress; nil: shutdown does not wait
	NewQueue      watch.NewQueue                            // below the fair queues; nil: [priorityqueue.New]
	Leads         func() bool                               // as in [pass.Operator]; [Setup] sets it
}

// elapsed returns the monotonic clock.
func (o Options) elapsed() func() time.Duration {
	if o.Elapsed != nil {
		return o.Elapsed
	}
	began := o.Now()
	return func() time.Duration { return o.Now().Sub(began) }
}

// operatorName is the field manager of the operator's writes, and the reporter of its Events.
const operatorName = "broadband-operator"

// Setup adds the controllers to a manager.
func Setup(ctx context.Context, mgr ctrl.Manager, options Options) error {
	owner := client.WithFieldOwner(mgr.GetClient(), operatorName)
	options.Leads = leads(mgr)
	reconcilers := New(owner, mgr.GetAPIReader(), mgr.GetEventRecorder(operatorName), options)
	if err := index.Fields(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	shared := newWorkers(ctx, mgr, reconcilers.Operator, options)
	notified, notifiedOrders := watch.NewTrigger(), watch.NewTrigger()
	err := errors.Join(
		reconcilers.Accounts.Setup(mgr, shared), reconcilers.Services.Setup(mgr, notified, shared),
		reconcilers.Orders.Setup(mgr, notifiedOrders, shared), reconcilers.Appointments.Setup(mgr, shared),
		oneshots.Setup(mgr, reconcilers.OneShots, shared), reconcilers.Ledgers.Setup(mgr, shared))
	if err != nil {
		return fmt.Errorf("set up the controllers: %w", err)
	}
	counts, err := setupMetrics(ctx, reconcilers)
	err = errors.Join(err, mgr.Add(reconcilers.Unrecorded), mgr.Add(reconcilers.Operator.Marker),
		mgr.Add(reconcilers.Operator.Policies), mgr.Add(manager.RunnableFunc(reconcilers.Ledgers.ShrinkDaily)),
		setupRequestLog(mgr, reconcilers.Operator, options, counts.RequestLog.Lose))
	if err != nil {
		return fmt.Errorf("set up the recording of responses, the marker, the policies, the ledgers, the metrics "+
			"and the request log: %w", err)
	}
	reconcilers.Notifications.Enqueue, reconcilers.Notifications.EnqueueOrder = notified.Put, notifiedOrders.Put
	listener := &receiver.Listener{
		Receiver: reconcilers.Receiver, Address: options.EventsAddress, CertDir: options.EventsCertDir,
	}
	err = notifications.Setup(mgr, listener, reconcilers.Operator.Sessions, reconcilers.Accounts.Requeue)
	if err != nil {
		return fmt.Errorf("set up the receiver of notifications: %w", err)
	}
	return nil
}

// Reconcilers has the operator's controllers, connected to each other.
type Reconcilers struct {
	Operator *pass.Operator // shared by all of them

	Accounts *accounts.Reconciler
	Services *services.Reconciler
	Orders   *orders.Reconciler

	Appointments *appointments.Reconciler
	OneShots     map[string]*oneshots.Reconciler // by kind

	Notifications *notifications.Notifications
	Receiver      *receiver.Receiver // an [http.Handler]
	Unrecorded    *ledgers.UnrecordedResponses
	Ledgers       *ledgers.Reconciler
}

// New creates and connects the controllers. The client may read from a cache; live bypasses it.
func New(cluster client.Client, live client.Reader, events operate.Recorder, options Options) Reconcilers {
	operator := newOperator(cluster, live, events, options)
	placed := &orders.Reconciler{Operator: operator}
	if options.Orders == nil {
		options.Orders = placed
	}
	booked := &appointments.Reconciler{Operator: operator}
	notified := &notifications.Notifications{Operator: operator, Orders: placed, Appointments: booked}
	login := &accounts.Reconciler{Operator: operator}
	login.Receiver = receiver.New(receiver.Config{
		Secret: secretReader(live), Take: notified.Take, Changed: login.Requeue, Now: options.Now,
	})
	operator.Sessions.Changed = login.Requeue
	return Reconcilers{
		Operator:      operator,
		Notifications: notified, Receiver: login.Receiver,
		Orders:       placed,
		Accounts:     login,
		Services:     &services.Reconciler{Operator: operator, Orders: options.Orders},
		Appointments: booked,
		OneShots:     oneshots.New(operator),
		Unrecorded:   &ledgers.UnrecordedResponses{Operator: operator},
		Ledgers:      &ledgers.Reconciler{Operator: operator},
	}
}

// newOperator creates what all controllers share.
func newOperator(cluster client.Client, live client.Reader, events operate.Recorder, options Options) *pass.Operator {
	operator := &pass.Operator{
		Client: cluster, Submit: options.Submit, Namespaces: options.Namespaces,
		Sessions: &sessions.Registry{
			Secrets: live, AllowInsecure: options.AllowInsecure, UserAgent: options.UserAgent,
			Now: options.Now, NewID: options.NewID, Sign: options.Sign, Wrap: options.Wrap,
			MinTimeout: options.MinTimeout, Hosts: options.CarrierHosts,
		},
		RecheckAfter: cmp.Or(options.RecheckAfter, watch.RecheckAfter), Leads: options.Leads,
		Ledgers: &requestledger.Store{Cluster: cluster, Live: live},
		Protocol: &operate.Protocol{
			Cluster: cluster, Live: live, Events: operate.Concise{Recorder: events},
			Now: options.Now, NewID: options.NewID, Elapsed: options.elapsed(), Submissions: options.Submissions,
			Memory: operate.NewMemory(options.NewID()),
		},
	}
	operator.Marker = &installation.Marker{
		Client: cluster, Live: live, Ledgers: operator.Ledgers, Name: options.Marker, Namespaces: options.Namespaces,
	}
	operator.Policies = &installation.Policies{
		Client: cluster, Live: live, Events: operator.Protocol.Events, Marker: operator.Marker, Now: options.Now,
		Wanted: options.Policies,
	}
	if len(options.Policies) > 0 {
		operator.Protocol.Policies = operator.Policies
	}
	operator.Logins = &requestledger.Logins{
		Ledgers: operator.Ledgers, Installation: operator.Marker.Installation, VerifyMarker: operator.Marker.Verify,
	}
	operator.Ledgers.MayCreate = operator.Logins.MayCreate
	return operator
}

// secretReader returns a function that reads a key of a Secret if the Secret allows the addresses.
func secretReader(live client.Reader) receiver.SecretFunc {
	return func(
		ctx context.Context, namespace string, ref v1alpha1.SecretKeyReference, addresses ...string,
	) ([]byte, error) {
		return sessions.SecretKey(ctx, live, namespace, ref, sessions.Use{Addresses: addresses})
	}
}

// setupRequestLog makes this replica write the request log while it leads, and count the lines that
// are lost.
func setupRequestLog(mgr ctrl.Manager, operator *pass.Operator, options Options, lost func()) error {
	if options.RequestLog == nil {
		return nil
	}
	log := requestlog.New(options.RequestLog, options.Now, operator.MayManage)
	log.Ledgers, log.Lost = mgr.GetCache(), lost
	return mgr.Add(log)
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

// newWorkers returns the workers of a manager. Without another queue, they use that of
// controller-runtime.
func newWorkers(ctx context.Context, mgr ctrl.Manager, operator *pass.Operator, options Options) watch.Workers {
	newQueue := options.NewQueue
	if newQueue == nil {
		newQueue = func(
			name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
		) priorityqueue.PriorityQueue[reconcile.Request] {
			return priorityqueue.New(name, func(of *priorityqueue.Opts[reconcile.Request]) {
				of.Log, of.RateLimiter = mgr.GetLogger().WithValues("controller", name), limiter
			})
		}
	}
	return watch.Workers{
		Count: max(options.Workers, 1), NewQueue: newQueue, StandingOf: operator.Sessions.StandingOf, Now: options.Now,
		Find: func(request reconcile.Request, object client.Object) error {
			return operator.Get(ctx, request.NamespacedName, object)
		},
	}
}
