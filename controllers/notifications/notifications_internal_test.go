// SPDX-License-Identifier: Apache-2.0

package notifications

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/orders"
	"github.com/broadband-operator/broadband-operator/test/cache"
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
		if got := (orders.At{ID: v1alpha1.CarrierIDOf(id)}).IsEarlier(ledger); got != want {
			t.Errorf("%d is the number of an earlier order: %t", id, got)
		}
	}
}

// An account may have as many services as a login has, of which only names and numbers are read.
func TestTheServicesThatANotificationMayConcernAreNotCopied(t *testing.T) {
	t.Parallel()
	held := cache.Fleet(20, time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC))
	account := types.NamespacedName{Namespace: "sites", Name: "default"}
	for _, one := range held.Services {
		one.Spec.AccountRef.Name = account.Name
	}
	found, err := listOf(t.Context(), held, &v1alpha1.BroadbandServiceList{}, allOf(account),
		func(*v1alpha1.BroadbandService) bool { return true })
	if err != nil || len(found) != len(held.Services) {
		t.Errorf("found are %d of %d services: %v", len(found), len(held.Services), err)
	}
}
