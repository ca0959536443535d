// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// fieldTestedID is the service number that a DiagnosticTest declares, if the test may still be sent
// or is in progress.
const fieldTestedID = "spec.serviceID"

func testedIDOf(object client.Object) []string {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Spec.ServiceID == "" || !decide.MayGoOn(test) {
		return nil
	}
	return []string{string(test.Spec.ServiceID)}
}

// ofLedger returns the unfinished tests of a ledger's service: "A watch on ledgers wakes ...
// waiting tests" (R32).
func (r *OneShotReconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case isMarker(object):
		return listed(ctx, r, r.shape().list)
	case !is || ledger.Spec.Diagnostics == nil || r.shape().operation != v1alpha1.OperationDiagnosticTest:
		return nil
	}
	return append(r.testsNumbered(ctx, ledger.Spec.Diagnostics.ID), r.ofLate(ctx, ledger)...)
}

// testsNumbered returns the unfinished tests of a service.
func (r *OneShotReconciler) testsNumbered(ctx context.Context, number v1alpha1.CarrierID) []reconcile.Request {
	tests := listed(ctx, r, r.shape().list, client.MatchingFields{fieldTestedID: string(number)})
	for _, service := range r.servicesNumbered(ctx, number) {
		tests = append(tests, r.withName(ctx, fieldServiceRef, service.NamespacedName)...)
	}
	return tests
}

// isNewsOrFree passes the ledger changes that matter to a test: a write by another process, or any
// write after which no test of the service is in progress, because the next may wait for that.
func (r *OneShotReconciler) isNewsOrFree(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	free := is && ledger.Spec.Diagnostics != nil && len(ledger.Spec.Open) == 0
	return free || r.isNews(object)
}

// behind returns the tests that may have waited for a deleted one.
func (r *OneShotReconciler) behind(ctx context.Context, object client.Object) []reconcile.Request {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Status.Ledger == nil {
		return nil // it has sent nothing
	}
	waiting := listed(ctx, r, r.shape().list, client.MatchingFields{fieldWaitsFor: test.Status.Ledger.Name})
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
