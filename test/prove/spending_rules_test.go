// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// reserving is a reservation: the login of the identity is recorded before it.
const reserving = "update *v1alpha1.RequestLedger identity-"

// reserved returns the reservations of the account's identity.
func (s *scripted) reserved(t *testing.T) []v1alpha1.Reservation {
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

// allows sets the account's limit.
func (s *scripted) allows(t *testing.T, perHour int32) {
	t.Helper()
	s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.ChargeLimit.PerHour = perHour })
}

func TestR10AProcessThatEndsBeforeTheIntentWastesOneReservation(t *testing.T) {
	t.Parallel()
	script(t, ordering, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.allows(t, 1)
		s.at = once(reserving, func() Kind { return CrashAfter })
		s.managers[0].pass(t.Context())
		began := now()
		s.restart()
		s.passes(t, s.managers[0], time.Hour-time.Minute)
		s.expectOrders(t, 0, v1alpha1.ReasonChargeLimit)
		s.passes(t, s.managers[0], 3*time.Minute)
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
		if counts := s.reserved(t); len(counts) != 1 || counts[0].AttemptID != s.sent[0].attempt {
			t.Errorf("%v after the crash %v count", now().Sub(began), counts)
		}
	})
}

// The response to the reservation is lost, the intent gets a conflict, or the carrier refuses the
// request: none of it is spent.
func TestR10WhatIsNotSentIsNotSpent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		what string
		kind Kind
	}{
		"the reservation is not made":               {reserving, Refused},
		"the answer to the reservation is lost":     {reserving, Lost},
		"the reservation meets a conflict":          {reserving, Conflict},
		"the intent is not written":                 {"create *v1alpha1.RequestLedger order-", Refused},
		"the answer to the intent is lost":          {"create *v1alpha1.RequestLedger order-", Lost},
		"the intent meets a conflict":               {"create *v1alpha1.RequestLedger order-", Conflict},
		"the answer to the intent comes late":       {"create *v1alpha1.RequestLedger order-", Late},
		"the answer to the reservation comes late":  {reserving, Late},
		"the account is not read before the POST":   {"read default", Refused},
		"the carrier turns it away with a 429":      {"POST /api/", Throttled},
		"the carrier does not take the token (401)": {"POST /api/", Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script(t, ordering, 1, func(t *testing.T, s *scripted) {
				t.Helper()
				s.allows(t, 1)
				s.at = once(test.what, func() Kind { return test.kind })
				s.passes(t, s.managers[0], 30*time.Minute)
				s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
				if counts := s.reserved(t); len(counts) != 1 {
					t.Errorf("%v count for one order", counts)
				}
			})
		})
	}
}

// M4 of the review: two managers see the last free reservation at the same moment, each for an
// object of its own. The account's pass reads the identity's spending first, when it logs in.
func TestR10TwoManagersThatSeeTheLastPlaceSendOneRequest(t *testing.T) {
	t.Parallel()
	for before, number := range map[string]int{reserving: 1, "read identity-": 2} {
		script(t, v1alpha1.OperationDiagnosticTest, 2, func(t *testing.T, s *scripted) {
			t.Helper()
			s.allows(t, 1)
			must(s.world.Create(t.Context(), s.world.Test("other", s.world.Line())))
			met := false
			s.at = nth(number, before, func() Kind {
				met = true
				other := s.managers[1]
				_, err := other.alive(t.Context(), reconcilerOf(other.reconcilers, "DiagnosticTest"), keyIn(s.run, "other"))
				must(err)
				return nothing
			})
			s.managers[0].pass(t.Context())
			if posted := s.posted(v1alpha1.OperationDiagnosticTest); !met || posted != 1 {
				t.Errorf("%d were sent (%t)", posted, met)
			}
			if counts := s.reserved(t); len(counts) != 1 {
				t.Errorf("%v count", counts)
			}
		})
	}
}

// X3 of the review: with a chargeLimit each pass copied every service, test and order of the
// account. The ledgers are listed twice when an account has logged in, and once for each
// reservation.
func TestR10APassDoesNotCountWhatOthersHaveSent(t *testing.T) {
	t.Parallel()
	const ledgers, services, service = "*v1alpha1.RequestLedgerList", "*v1alpha1.BroadbandServiceList",
		"*v1alpha1.BroadbandService"
	script(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		for _, within := range []time.Duration{time.Hour, 48 * time.Hour} {
			s.passes(t, s.managers[0], within)
			if posted := s.posted(v1alpha1.OperationPlanChange); posted != 1 || s.read[ledgers] != 3 || s.read[services] > 0 {
				t.Errorf("%d were sent, and in %d passes the ledgers were listed %d times, the services %d times",
					posted, s.read[service], s.read[ledgers], s.read[services])
			}
		}
		if s.read[service] < 5 {
			t.Errorf("there were only %d passes", s.read[service])
		}
	})
}
