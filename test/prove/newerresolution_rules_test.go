// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Abandoning a late acceptance changes no known value (R15), even if a person has resolved it as
// done before.
func TestR15KnownValueIsNotBoughtAgainAfterANewerResolution(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.resolveWhileDelayed(t, "POST "+submitPath(converting), 8*time.Minute, "NotAccepted", 2*time.Hour)
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonLateAcceptance {
			t.Fatalf("it is %s", reason)
		}
		late, sent := s.onlyLedger(t).LateAcceptance().AttemptID, s.posted(converting)
		s.setResolutionOf(t, late, "Succeeded")
		s.setResolutionOf(t, late, "Abandoned")
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonInSync || s.posted(converting) != sent {
			t.Errorf("it is %s, and %d were sent, not %d", reason, s.posted(converting), sent)
		}
	})
}

// A ledger that goes back while a process runs is lost (R6): after a resolution, an order that was
// done may have been sent again.
func TestR6OrderResolvedAsDoneMayHaveBeenSentSince(t *testing.T) {
	t.Parallel()
	for _, resolution := range []string{"Succeeded", "Abandoned"} {
		runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.faultAt = atFirst("POST "+submitPath(ordering), func() FaultKind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().Record().RequestOf(ordering).AttemptID
			s.setResolutionOf(t, attempt, resolution)
			older := s.onlyLedger(t)
			s.setResolutionOf(t, attempt, "NotAccepted")
			s.expectOrders(t, 2, v1alpha1.ReasonSubmitted)
			s.loseStatus(t.Context())
			s.replaceLedger(t.Context(), s.onlyLedger(t), older)
			s.notifyManagers()
			s.drive(t.Context())
			s.expectOrders(t, 2, v1alpha1.ReasonLedgerLost)
		})
	}
}

// The order number belongs to the attempt that created the order, and to no other.
func TestR14OrderIDBelongsToItsAttempt(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = func(effect Effect) FaultKind {
			if effect.What == "POST "+submitPath(ordering) {
				return BadGateway
			}
			return noFault
		}
		s.drive(t.Context())
		first := s.subject().Record().RequestOf(ordering).AttemptID
		s.setResolutionOf(t, first, "Accepted:777")
		s.setResolutionOf(t, first, "NotAccepted")
		second := s.subject().Record().RequestOf(ordering).AttemptID
		if second == first {
			t.Fatal("it was not sent again")
		}
		s.setResolutionOf(t, second, "Succeeded")
		order, is := s.subject().(*v1alpha1.ServiceOrder)
		if !is || order.Status.OrderID != "" {
			t.Errorf("the order is %s", order.Status.OrderID)
		}
	})
}

// A ledger that is older than the status of a completed test shows one of its attempts as unknown.
// A true resolution of that attempt must not send another test.
func TestR5CompletedTestIsNotRunAgainAfterALedgerRestore(t *testing.T) {
	t.Parallel()
	runScript(t, diagnosing, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST "+submitPath(diagnosing), func() FaultKind { return BadGateway })
		s.drive(t.Context())
		attempt := s.subject().Record().RequestOf(diagnosing).AttemptID
		older := s.onlyLedger(t)
		sleep(longestWork) // a second request beside it would be refused
		s.setResolutionOf(t, attempt, "Abandoned")
		s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, attempt) })
		s.notifyManagers()
		s.drive(t.Context())
		s.expectTests(t, 2, v1alpha1.ReasonCompleted)
		s.replaceLedger(t.Context(), s.onlyLedger(t), older)
		s.notifyManagers()
		s.drive(t.Context())
		s.expectTests(t, 2, v1alpha1.ReasonOutcomeUnknown)
		s.setResolutionOf(t, attempt, "NotAccepted")
		s.expectTests(t, 2, v1alpha1.ReasonLedgerLost)
		s.setResolution(t, "Succeeded")
		s.drive(t.Context())
		s.expectTests(t, 2, v1alpha1.ReasonCompleted)
	})
}

// NotAccepted would contradict the carrier, even if the response came after a person had resolved
// the request.
func TestR15AcceptedRequestCannotBeResolvedAsNotAccepted(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{converting, diagnosing, ordering} {
		runScript(t, operation, 2, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.resolveWhileDelayed(t, "POST "+submitPath(operation), 8*time.Minute, "Succeeded", time.Hour)
			attempt := s.subject().Record().RequestOf(operation).AttemptID
			s.setResolutionOf(t, attempt, "NotAccepted")
			if s.posted(operation) != 1 {
				t.Errorf("%s: %d were sent", operation, s.posted(operation))
			}
		})
	}
}

// A withdrawn resolution makes the values known again that were known before a ledger was lost.
func TestR14WithdrawnResolutionOfALostLedgerBuysNothing(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
		older := s.onlyLedger(t)
		older.Spec.Revision--
		s.replaceLedger(t.Context(), s.onlyLedger(t), older)
		s.notifyManagers()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonLedgerLost)
		lost := s.subject().Record().OpenRequests()[0].AttemptID
		s.setResolutionOf(t, lost, "Succeeded")
		s.setResolutionOf(t, lost, "NotAccepted")
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}
