// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// answerChecks makes the carrier answer each token check with a fault, and counts the other calls.
func (s *scriptedRun) answerChecks(fault FaultKind) (checks, others *int) {
	checks, others = new(int), new(int)
	s.faultAt = func(effect Effect) FaultKind {
		switch {
		case effect.Op == Token:
		case strings.HasPrefix(effect.What, tokenCheck):
			*checks++
			return fault
		case effect.Op == Post, effect.Op == Poll:
			*others++
		}
		return noFault
	}
	return checks, others
}

// Anyone who writes an account may have an identity provider that grants every token. If the carrier
// does not accept it, nothing is created, read or sent for the login that the account names.
func TestNothingIsUsedForALoginThatTheCarrierHasNotAccepted(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{ordering, changing, converting, diagnosing} {
		for _, fault := range []FaultKind{Denied, GatewayPage, BadGateway, Unavailable, Refused} {
			t.Run(string(operation)+" "+string(fault), func(t *testing.T) {
				t.Parallel()
				runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
					t.Helper()
					s.expectNothingUsedWithout(t, fault)
					s.drive(t.Context())
					if s.posted(operation) != 1 {
						t.Errorf("%d were sent once the carrier has accepted the token", s.posted(operation))
					}
				})
			})
		}
	}
}

// expectNothingUsedWithout checks that only token checks are made while each of them has a fault.
func (s *scriptedRun) expectNothingUsedWithout(t *testing.T, fault FaultKind) {
	t.Helper()
	checks, others := s.answerChecks(fault)
	s.runFor(t, s.managers[0], 2*time.Hour)
	if *checks == 0 || *others != 0 || s.ledgerVersions(t) != "" {
		t.Fatalf("%d token checks, %d other calls, ledgers %q", *checks, *others, s.ledgerVersions(t))
	}
	s.faultAt = nil
}

// A new process has no proof. Until it has one, it must not change what another process has
// recorded, and it must not lose a request in progress.
func TestANewProcessContinuesAsSoonAsTheCarrierHasAcceptedItsToken(t *testing.T) {
	t.Parallel()
	for _, fault := range []FaultKind{Denied, BadGateway} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.endProcessWhileConverting(t)
				ledgers := s.ledgerVersions(t)
				s.remove(t.Context())
				s.create(t.Context()) // the new object could take over the ledger
				_, others := s.answerChecks(fault)
				s.runFor(t, s.managers[0], 10*time.Minute)
				if after := s.ledgerVersions(t); *others != 0 || after != ledgers {
					t.Errorf("%d calls; the ledgers were %s and are %s", *others, ledgers, after)
				}
				s.faultAt = nil
				s.notifyManagers()
				s.drive(t.Context())
				if _, ready, _ := stateOf(s.subject()); !ready || s.posted(converting) != 1 {
					t.Errorf("%d were sent, and the object is ready: %t", s.posted(converting), ready)
				}
			})
		})
	}
}

// endProcessWhileConverting ends the process at its first poll of a conversion, and starts another.
func (s *scriptedRun) endProcessWhileConverting(t *testing.T) {
	t.Helper()
	s.faultAt = atFirst("GET /api/connect/services/aggregation-conversions", func() FaultKind { return CrashBefore })
	for !s.managers[0].dead {
		sleep(s.managers[0].next().Sub(now()))
		s.managers[0].pass(t.Context())
	}
	s.replaceDead()
	s.managers[0].env = s
}

// ledgerVersions returns the versions of all ledgers.
func (s *scriptedRun) ledgerVersions(t *testing.T) (versions string) {
	t.Helper()
	var ledgers v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &ledgers))
	for i := range ledgers.Items {
		versions += ledgers.Items[i].Name + "=" + ledgers.Items[i].ResourceVersion + " "
	}
	return versions
}

// An order that was edited after the carrier had accepted it is another order. Only the ledger shows
// that, so a process whose account is not proven must not call the order submitted.
func TestNothingIsReadyWithoutTheLedgerThatConfirmsIt(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
		edit := func(plan string) {
			s.edit(t.Context(), func(subject Subject) {
				if order, is := subject.(*v1alpha1.ServiceOrder); is {
					order.Spec.PlanName = plan
				}
			})
			s.notifyManagers()
		}
		edit(world.PlanSlow)
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonOrderDiffers)

		s.makeAccountUnready(t)
		s.restart()
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonOrderDiffers)
		edit("Home 25/5")
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonAccountNotReady)
	})
}

// makeAccountUnready changes the status of the account, so that no object makes the call that
// proves it.
func (s *scriptedRun) makeAccountUnready(t *testing.T) {
	t.Helper()
	account := s.account(t.Context())
	account.Status.Conditions = nil
	must(s.store.Client().Status().Update(t.Context(), account))
	s.answerChecks(BadGateway)
}
