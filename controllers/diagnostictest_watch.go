// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// fieldTestedID is the number of the service of a DiagnosticTest that has not finished, where the test
// declares it.
const fieldTestedID = "spec.serviceID"

func testedIDOf(object client.Object) []string {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Spec.ServiceID == nil || test.Status.Request != nil && test.Status.Request.Phase.Ended() {
		return nil
	}
	return []string{strconv.FormatInt(*test.Spec.ServiceID, 10)}
}

// ofLedger finds the tests of a ledger's service that have not finished: "A watch on ledgers wakes ...
// waiting tests" (R32).
func (r *OneShotReconciler) ofLedger(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case isMarker(object):
		return listed(ctx, r, r.shape().list)
	case !is || ledger.Spec.Diagnostics == nil || r.shape().operation != v1alpha1.OperationDiagnosticTest:
		return nil
	}
	number := ledger.Spec.Diagnostics.ID
	tests := listed(ctx, r, r.shape().list, client.MatchingFields{fieldTestedID: strconv.FormatInt(number, 10)})
	for _, service := range r.servicesNumbered(ctx, number) {
		tests = append(tests, r.withName(ctx, fieldServiceRef, service.NamespacedName)...)
	}
	return tests
}
