// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// "Abandoned (known stays)" (R15), also if a person has resolved the late acceptance as done
// before.
func TestR15WhatStaysKnownIsNotBoughtAgainByANewerWord(t *testing.T) {
	t.Parallel()
	script(t, converting, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		s.saysMeanwhile(t, "POST "+submitPath(converting), 8*time.Minute, "NotAccepted", 2*time.Hour)
		if said, _, _ := stateOf(s.subject()); said != v1alpha1.ReasonLateAcceptance {
			t.Fatalf("it is %s", said)
		}
		late, sent := s.theLedger(t).LateAcceptance().AttemptID, s.posted(converting)
		s.saysOf(t, late, "Succeeded")
		s.saysOf(t, late, "Abandoned")
		if said, _, _ := stateOf(s.subject()); said != v1alpha1.ReasonInSync || s.posted(converting) != sent {
			t.Errorf("it is %s, and %d were sent, not %d", said, s.posted(converting), sent)
		}
	})
}

// "One that goes back while it runs is LedgerLost" (R6): after a resolution, an order that was done
// may have been sent again.
func TestR6AnOrderThatAPersonCalledDoneMayHaveBeenSentSince(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"Succeeded", "Abandoned"} {
		script(t, ordering, 1, func(t *testing.T, s *scripted) {
			t.Helper()
			s.at = once("POST "+submitPath(ordering), func() Kind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().RequestOf(ordering).AttemptID
			s.saysOf(t, attempt, word)
			older := s.theLedger(t)
			s.saysOf(t, attempt, "NotAccepted")
			s.expectOrders(t, 2, v1alpha1.ReasonSubmitted)
			s.restore(t.Context())
			s.replaceLedger(t.Context(), s.theLedger(t), older)
			s.alert()
			s.drive(t.Context())
			s.expectOrders(t, 2, v1alpha1.ReasonLedgerLost)
		})
	}
}

// The order number belongs to the attempt that created the order, and to no other.
func TestR14TheNumberOfAnOrderGoesWithItsAttempt(t *testing.T) {
	t.Parallel()
	script(t, ordering, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = func(effect Effect) Kind {
			if effect.What == "POST "+submitPath(ordering) {
				return BadGateway
			}
			return nothing
		}
		s.drive(t.Context())
		first := s.subject().RequestOf(ordering).AttemptID
		s.saysOf(t, first, "Accepted:777")
		s.saysOf(t, first, "NotAccepted")
		second := s.subject().RequestOf(ordering).AttemptID
		if second == first {
			t.Fatal("it was not sent again")
		}
		s.saysOf(t, second, "Succeeded")
		order, is := s.subject().(*v1alpha1.ServiceOrder)
		if !is || order.Status.OrderID != "" {
			t.Errorf("the order is %s", order.Status.OrderID)
		}
	})
}

// A ledger that is older than the status of a completed test shows one of its attempts as unknown.
// A true resolution of that attempt must not send another test.
func TestR5ATestThatIsDoneIsNotRunAgainByAnOlderLedger(t *testing.T) {
	t.Parallel()
	script(t, diagnosing, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("POST "+submitPath(diagnosing), func() Kind { return BadGateway })
		s.drive(t.Context())
		attempt := s.subject().RequestOf(diagnosing).AttemptID
		older := s.theLedger(t)
		sleep(longestWork) // a second request beside it would be refused
		s.saysOf(t, attempt, "Abandoned")
		s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, attempt) })
		s.alert()
		s.drive(t.Context())
		s.expectTests(t, 2, v1alpha1.ReasonCompleted)
		s.replaceLedger(t.Context(), s.theLedger(t), older)
		s.alert()
		s.drive(t.Context())
		s.expectTests(t, 2, v1alpha1.ReasonOutcomeUnknown)
		s.saysOf(t, attempt, "NotAccepted")
		s.expectTests(t, 2, v1alpha1.ReasonLedgerLost)
		s.says(t, "Succeeded")
		s.drive(t.Context())
		s.expectTests(t, 2, v1alpha1.ReasonCompleted)
	})
}

// "What the carrier has accepted is not called not accepted": its response came after a resolution.
func TestR15WhatTheCarrierHasTakenIsNotCalledNotAccepted(t *testing.T) {
	t.Parallel()
	for _, asks := range []v1alpha1.Operation{converting, diagnosing, ordering} {
		script(t, asks, 2, func(t *testing.T, s *scripted) {
			t.Helper()
			s.saysMeanwhile(t, "POST "+submitPath(asks), 8*time.Minute, "Succeeded", time.Hour)
			attempt := s.subject().RequestOf(asks).AttemptID
			s.saysOf(t, attempt, "NotAccepted")
			if s.posted(asks) != 1 {
				t.Errorf("%s: %d were sent", asks, s.posted(asks))
			}
		})
	}
}

// What was known before a ledger was lost is known again once a person has withdrawn a resolution.
func TestR14AWordOnALostLedgerThatIsTakenBackBuysNothingAgain(t *testing.T) {
	t.Parallel()
	script(t, converting, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
		older := s.theLedger(t)
		older.Spec.Revision--
		s.replaceLedger(t.Context(), s.theLedger(t), older)
		s.alert()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonLedgerLost)
		lost := s.subject().OpenRequests()[0].AttemptID
		s.saysOf(t, lost, "Succeeded")
		s.saysOf(t, lost, "NotAccepted")
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}
