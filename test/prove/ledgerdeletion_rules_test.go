// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// deleteLedger requests the deletion of the ledger, which its finalizer keeps.
func (s *scriptedRun) deleteLedger(t *testing.T) {
	t.Helper()
	must(s.store.Client().Delete(t.Context(), s.onlyLedger(t)))
	if s.onlyLedger(t).DeletionTimestamp.IsZero() {
		t.Fatal("the ledger is not being deleted")
	}
}

// A ledger that is being deleted opens nothing (R3), but open attempts are tracked to their end.
func TestR3LedgerBeingDeletedEndsAttemptsAndStartsNone(t *testing.T) {
	t.Parallel()
	t.Run("a service", func(t *testing.T) {
		t.Parallel()
		runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.runFor(t, s.managers[0], time.Second)
			s.deleteLedger(t)
			s.drive(t.Context())
			s.expectConversions(t, 1, v1alpha1.ReasonInSync)
			s.edit(t.Context(), func(subject Subject) {
				if service, is := subject.(*v1alpha1.BroadbandService); is {
					service.Spec.AggregationMethod = "L2TP"
				}
			})
			s.notifyManagers()
			s.drive(t.Context())
			s.expectConversions(t, 1, v1alpha1.ReasonLedgerDeleting)
		})
	})
	t.Run("an order", func(t *testing.T) {
		t.Parallel()
		runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.faultAt = atFirst("POST /api/", func() FaultKind { return BadGateway })
			s.drive(t.Context())
			s.expectOrders(t, 1, v1alpha1.ReasonOutcomeUnknown)
			s.deleteLedger(t)
			s.setResolution(t, "NotAccepted")
			s.drive(t.Context())
			s.expectOrders(t, 1, v1alpha1.ReasonLedgerDeleting)
		})
	})
	t.Run("a test", func(t *testing.T) {
		t.Parallel()
		runScript(t, diagnosing, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.drive(t.Context())
			s.deleteLedger(t)
			must(s.store.Client().Delete(t.Context(), s.subject()))
			s.notifyManagers()
			s.runFor(t, s.managers[0], 3*time.Minute)
			sleep(time.Hour) // after which the same test needs no approval
			s.create(t.Context())
			s.notifyManagers()
			s.drive(t.Context())
			s.expectTests(t, 1, v1alpha1.ReasonLedgerDeleting)
		})
	})
}

// A request that sets a value is repeated when its response is lost. The repeat would be another
// attempt, which a ledger that is being deleted does not accept.
func TestR3LedgerBeingDeletedRepeatsNoAttempt(t *testing.T) {
	t.Parallel()
	const profile = v1alpha1.OperationDSLStabilityProfileChange
	runScript(t, profile, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST /api/connect/services/dsl", func() FaultKind { return BadGateway })
		s.runFor(t, s.managers[0], time.Minute)
		s.deleteLedger(t)
		s.runFor(t, s.managers[0], time.Hour)
		if reason, _, _ := stateOf(s.subject()); s.posted(profile) != 1 || reason != v1alpha1.ReasonLedgerDeleting {
			t.Errorf("%d were sent, and the object is %s", s.posted(profile), reason)
		}
	})
}

// The ledger of a login counts chargeable requests.
func TestR10LedgerBeingDeletedTakesNoReservation(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.setChargeLimit(t, 2)
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
		var ledgers v1alpha1.RequestLedgerList
		must(s.store.Client().List(t.Context(), &ledgers))
		for i := range ledgers.Items {
			if ledgers.Items[i].Spec.Account != nil {
				must(s.store.Client().Delete(t.Context(), &ledgers.Items[i]))
			}
		}
		another := s.world.Order("another", "another")
		another.ObjectMeta = metav1.ObjectMeta{Namespace: another.Namespace, Name: "another"}
		must(s.store.Client().Create(t.Context(), another))
		manager := s.managers[0]
		_, err := manager.reconcile(t.Context(), reconcilerOf(manager.reconcilers, "ServiceOrder"), keyIn(s.run, "another"))
		must(err)
		must(s.store.Client().Get(t.Context(), keyIn(s.run, "another"), another))
		if reason, _, _ := stateOf(another); s.posted(ordering) != 1 || reason != v1alpha1.ReasonLedgerDeleting {
			t.Errorf("%d were sent, and the object is %s", s.posted(ordering), reason)
		}
	})
}
