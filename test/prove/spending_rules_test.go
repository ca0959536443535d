// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// reservationWrite is the prefix of the effect that writes a reservation. The ledger of the
// login is created before it.
const reservationWrite = "update *v1alpha1.RequestLedger login-"

// reservations returns the reservations of the account's login.
func (s *scriptedRun) reservations(t *testing.T) []v1alpha1.Reservation {
	t.Helper()
	var ledgers v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &ledgers))
	for _, ledger := range ledgers.Items {
		if ledger.Spec.Account != nil {
			return ledger.Spec.Account.Reservations
		}
	}
	return nil
}

// setChargeLimit sets the account's limit.
func (s *scriptedRun) setChargeLimit(t *testing.T, perHour int32) {
	t.Helper()
	s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.ChargeLimit.PerHour = perHour })
}

func TestR10ProcessEndingBeforeTheIntentWastesOneReservation(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.setChargeLimit(t, 1)
		s.faultAt = atFirst(reservationWrite, func() FaultKind { return CrashAfter })
		s.managers[0].pass(t.Context())
		began := now()
		s.restart()
		s.runFor(t, s.managers[0], time.Hour-time.Minute)
		s.expectOrders(t, 0, v1alpha1.ReasonChargeLimit)
		s.runFor(t, s.managers[0], 3*time.Minute)
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
		if counts := s.reservations(t); len(counts) != 1 || counts[0].AttemptID != s.sent[0].attempt {
			t.Errorf("%v after the crash %v count", now().Sub(began), counts)
		}
	})
}

// The response to the reservation is lost, the intent gets a conflict, or the carrier refuses the
// request: none of these counts as spent.
func TestR10RequestThatIsNotSentIsNotCounted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		what string
		kind FaultKind
	}{
		"the reservation is not made":             {reservationWrite, Refused},
		"the response to the reservation is lost": {reservationWrite, Lost},
		"the reservation gets a conflict":         {reservationWrite, Conflict},
		"the intent is not written":               {"create *v1alpha1.RequestLedger order-", Refused},
		"the response to the intent is lost":      {"create *v1alpha1.RequestLedger order-", Lost},
		"the intent gets a conflict":              {"create *v1alpha1.RequestLedger order-", Conflict},
		"the response to the intent is late":      {"create *v1alpha1.RequestLedger order-", Late},
		"the response to the reservation is late": {reservationWrite, Late},
		"the account is not read before the POST": {"read default", Refused},
		"the carrier refuses it with a 429":       {"POST /api/", Throttled},
		"the carrier refuses the token (401)":     {"POST /api/", Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.setChargeLimit(t, 1)
				s.faultAt = atFirst(test.what, func() FaultKind { return test.kind })
				s.runFor(t, s.managers[0], 30*time.Minute)
				s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
				if counts := s.reservations(t); len(counts) != 1 {
					t.Errorf("%v count for one order", counts)
				}
			})
		})
	}
}

// The gate was closed, and the cache still shows the attempt as open.
func TestR10AReleasedReservationDoesNotComeBackFromTheCache(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.setChargeLimit(t, 1)
		s.faultAt = atFirst("read default", func() FaultKind {
			s.staleVersions["*v1alpha1.RequestLedgerList"] = s.store.Version()
			return Refused
		})
		s.runFor(t, s.managers[0], 30*time.Minute)
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
		if counts := s.reservations(t); len(counts) != 1 || counts[0].AttemptID != s.sent[0].attempt {
			t.Errorf("%v count for one order", counts)
		}
	})
}

// M4 of the review: two managers see the last free reservation at the same moment, each for an
// object of its own. The account's pass reads the login's ledger first, when it logs in.
func TestR10TwoManagersShareTheLastReservation(t *testing.T) {
	t.Parallel()
	for before, number := range map[string]int{reservationWrite: 1, "read login-": 2} {
		runScript(t, v1alpha1.OperationDiagnosticTest, 2, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.setChargeLimit(t, 1)
			must(s.world.Create(t.Context(), s.world.Test("other", s.world.Line())))
			reached := false
			s.faultAt = atNth(number, before, func() FaultKind {
				reached = true
				other := s.managers[1]
				_, err := other.reconcile(t.Context(), reconcilerOf(other.reconcilers, "DiagnosticTest"), keyIn(s.run, "other"))
				must(err)
				return noFault
			})
			s.managers[0].pass(t.Context())
			if posted := s.posted(v1alpha1.OperationDiagnosticTest); !reached || posted != 1 {
				t.Errorf("%d were sent (%t)", posted, reached)
			}
			if counts := s.reservations(t); len(counts) != 1 {
				t.Errorf("%v count", counts)
			}
		})
	}
}

// X3 of the review: with a chargeLimit each pass copied every service, test and order of the
// account. The ledgers are listed once per reservation.
func TestR10PassReadsOnlyTheLoginLedger(t *testing.T) {
	t.Parallel()
	const ledgers, services, service = "*v1alpha1.RequestLedgerList", "*v1alpha1.BroadbandServiceList",
		"*v1alpha1.BroadbandService"
	runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		for _, within := range []time.Duration{time.Hour, 48 * time.Hour} {
			s.runFor(t, s.managers[0], within)
			posted := s.posted(v1alpha1.OperationPlanChange)
			if posted != 1 || s.cacheReadCounts[ledgers] != 1 || s.cacheReadCounts[services] > 0 {
				t.Errorf("%d were sent, and in %d passes the ledgers were listed %d times, the services %d times",
					posted, s.cacheReadCounts[service], s.cacheReadCounts[ledgers], s.cacheReadCounts[services])
			}
		}
		if s.cacheReadCounts[service] < 5 {
			t.Errorf("there were only %d passes", s.cacheReadCounts[service])
		}
	})
}

// M4a of the review: a limit that was counted in the status of one object never counted more than
// three of its changes.
func TestR10ServiceEditedOftenStaysWithinTheLimit(t *testing.T) {
	t.Parallel()
	const limit, edits = 5, 16
	runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.setChargeLimit(t, limit)
		began := now()
		for i := range edits {
			s.setPlan(t, []string{world.PlanSlow, world.PlanCheap, world.PlanFast}[i%3])
			s.runFor(t, s.managers[0], 3*time.Minute)
		}
		if took, posted := now().Sub(began), s.posted(v1alpha1.OperationPlanChange); posted != limit || took > time.Hour {
			t.Errorf("%d plan changes within %v", posted, took)
		}
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonChargeLimit {
			t.Errorf("the reason is %s", reason)
		}
		s.runFor(t, s.managers[0], 2*time.Hour)
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != limit+1 {
			t.Errorf("%d plan changes once the hour is over", posted)
		}
	})
}

// setPlan sets a plan as a user would.
func (s *scriptedRun) setPlan(t *testing.T, plan string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		if service, is := subject.(*v1alpha1.BroadbandService); is {
			service.Spec.Plan.Name = plan
		}
	})
	s.notifyManagers()
}

// A plan change that is refused because another request is in progress has done nothing.
func TestR10ARefusalBecauseAnotherRequestIsInProgressDoesNotCount(t *testing.T) {
	t.Parallel()
	runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.setChargeLimit(t, 1)
		s.faultAt = atFirst(planChange, func() FaultKind { return Busy })
		s.runFor(t, s.managers[0], 30*time.Minute)
		if reason, ready, _ := stateOf(s.subject()); !ready {
			t.Errorf("after half an hour it is %s", reason)
		}
	})
}
