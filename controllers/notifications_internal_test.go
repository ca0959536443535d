// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A notification has an id as a number. In a Location, the carrier may have written it with leading
// zeros.
func TestANotificationNamesARequestByItsNumber(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{}
	service.PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseInProgress,
		Location: "/api/connect/services/plan-changes/requests/0042",
	})
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Ended: []v1alpha1.EndedAttempt{
		{AttemptID: "a-1", Operation: v1alpha1.OperationOrderCreate, Location: "/api/connect/orders/0042"},
	}}}
	for id, want := range map[int64]bool{42: true, 2: false, 420: false, 0: false} {
		if got := hasRequest(service, id); got != want {
			t.Errorf("the service has request %d: %t", id, got)
		}
		if got := isEarlierOrder(ledger, v1alpha1.CarrierIDOf(id)); got != want {
			t.Errorf("%d is the number of an earlier order: %t", id, got)
		}
	}
}
