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
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

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
// changes, when the state of the admission policies changes, when the service that it names is
// created or gets another number, and some time after it became less settled (see [watch.Recheck]).
// A test is also reconciled when another test of its service has ended or is deleted, when another
// process writes to their ledger, when the ledger is removed or goes back to an older revision, and
// when a late acceptance is added to it or settled.
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

// ofLedger returns the unfinished tests of a ledger's service. They may wait for the attempt that
// has just ended (R32).
func (r *Reconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case watch.IsMarker(object):
		return watch.RequestsFor(ctx, r, r.newObject().list)
	case !is || ledger.Spec.Diagnostics == nil || r.newObject().operation != v1alpha1.OperationDiagnosticTest:
		return nil
	}
	return append(r.testsNumbered(ctx, ledger.Spec.Diagnostics.ID), r.ofLate(ctx, ledger)...)
}

// testsNumbered returns the unfinished tests of a service.
func (r *Reconciler) testsNumbered(ctx context.Context, number v1alpha1.CarrierID) []reconcile.Request {
	tests := watch.RequestsFor(ctx, r, r.newObject().list, client.MatchingFields{index.TestedID: string(number)})
	for _, service := range watch.ServicesNumbered(ctx, r, number) {
		tests = append(tests, watch.RequestsFor(ctx, r, r.newObject().list,
			client.InNamespace(service.Namespace), client.MatchingFields{index.ServiceRef: service.Name})...)
	}
	return tests
}

// isFree reports whether no test of a ledger's service is in progress, so that the next test may be
// waiting for its turn. Tests that wait for this are also triggered by this process's own writes.
func isFree(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && ledger.Spec.Diagnostics != nil && len(ledger.Spec.Open) == 0
}

// waitingFor returns the tests that may have waited for a deleted one.
func (r *Reconciler) waitingFor(ctx context.Context, object client.Object) []reconcile.Request {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Status.Ledger == nil {
		return nil // it has sent nothing
	}
	by := client.MatchingFields{index.WaitsFor: test.Status.Ledger.Name}
	waiting := watch.RequestsFor(ctx, r, r.newObject().list, by)
	number, ref := test.Spec.ServiceID, test.Spec.ServiceRef
	if number == "" && ref != nil {
		var service v1alpha1.BroadbandService
		key := client.ObjectKey{Namespace: test.Namespace, Name: ref.Name}
		if err := r.Get(ctx, key, &service); err != nil {
			return waiting
		}
		number = service.ServiceNumber()
	}
	if number == "" {
		return waiting
	}
	return append(waiting, r.testsNumbered(ctx, number)...)
}

// lateChanged reports whether a late acceptance was added to a ledger, or settled. Tests that wait for
// this are also triggered by this process's own writes.
func lateChanged(before, after client.Object) bool {
	return before != nil && after != nil && hasLate(before) != hasLate(after)
}

func hasLate(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && ledger.LateAcceptance() != nil
}

// ofLate returns the test whose attempt was accepted late. The test may have finished long ago.
func (r *Reconciler) ofLate(ctx context.Context, ledger *v1alpha1.RequestLedger) []reconcile.Request {
	late := ledger.LateAcceptance()
	if late == nil {
		return nil
	}
	return watch.RequestsFor(ctx, r, r.newObject().list, client.MatchingFields{index.TestUID: late.UID})
}
