// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
)

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

// lateChanges passes updates in which a late acceptance was added to a ledger, or settled. Tests
// that wait for this are also triggered by this process's own writes.
func lateChanges() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(update event.UpdateEvent) bool {
			return hasLate(update.ObjectOld) != hasLate(update.ObjectNew)
		},
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
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
