// SPDX-License-Identifier: Apache-2.0

// Package oneshots sends one request for each object of the kinds that make one request.
package oneshots

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// Reconciler sends one request to the carrier for each object of one kind.
type Reconciler struct {
	*pass.Operator

	newObject func() oneShot // returns an empty object of the kind, with the functions of the kind
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=fibrebuildquotes;planoptionsqueries;healthchecks,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests/status;fibrebuildquotes/status;planoptionsqueries/status;healthchecks/status,verbs=update

// Reconcile takes one object as far as possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	g := gathered{oneShot: r.newObject()}
	if err := r.Get(ctx, request.NamespacedName, g.subject); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	kind := g.kind()
	if object, ok := g.subject.(*v1alpha1.DiagnosticTest); ok {
		kind = (&test{object: object, gathered: g}).kind()
	}
	p := pass.New(r.Operator, g.subject, kind)
	if !g.subject.GetDeletionTimestamp().IsZero() {
		return finalize(ctx, p)
	}
	if at := oneshots.Expires(g.input(p.Input())); !at.IsZero() && !p.Protocol.Now().Before(at) {
		return expire(ctx, p)
	}
	return p.Run(ctx)
}

// New returns a reconciler for each kind that makes one request.
func New(operator *pass.Operator) map[string]*Reconciler {
	return map[string]*Reconciler{
		"DiagnosticTest":   {Operator: operator, newObject: diagnosticTest},
		"FibreBuildQuote":  {Operator: operator, newObject: fibreBuildQuote},
		"PlanOptionsQuery": {Operator: operator, newObject: planOptionsQuery},
		"HealthCheck":      {Operator: operator, newObject: healthCheck},
	}
}

// Setup adds the reconcilers to a manager.
func Setup(mgr ctrl.Manager, reconcilers map[string]*Reconciler, workers watch.Workers) error {
	for kind, reconciler := range reconcilers {
		if err := reconciler.Setup(mgr, workers); err != nil {
			return fmt.Errorf("set up %s: %w", kind, err)
		}
	}
	return nil
}

// Setup reconciles an object when a user creates or annotates it, when its account or the marker
// changes, when the state of the admission policies changes, when the service that it names is created
// or gets another number, and some time after it became less settled. A test is also reconciled when
// another test of its service has ended or is deleted, when another process writes to their ledger,
// when the ledger is removed or goes back to an older revision, and when a late acceptance is added to
// it or settled.
func (r *Reconciler) Setup(mgr ctrl.Manager, workers watch.Workers) error {
	kind := r.newObject()
	return watch.Requests(mgr, r.Operator, workers, kind.subject, kind.list).
		Watches(&v1alpha1.BroadbandService{}, watch.Naming(r, kind.list, index.ServiceRef),
			builder.WithPredicates(watch.Changes(numberChanged))).
		Watches(kind.subject, watch.WhenDeleted(r.waitingFor)).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.ofLedger),
			builder.WithPredicates(predicate.Or(
				watch.LedgerNews(r.Ledgers), predicate.NewPredicateFuncs(isFree), watch.Changes(lateChanged),
			))).
		Complete(r)
}

// numberChanged reports whether a service was created, or got another number. Other changes do not
// concern the objects that refer to the service.
func numberChanged(before, after client.Object) bool {
	was, known := before.(*v1alpha1.BroadbandService)
	now, still := after.(*v1alpha1.BroadbandService)
	return still && (!known || was.ServiceNumber() != now.ServiceNumber())
}
