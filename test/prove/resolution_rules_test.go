// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// setResolutionOfAll resolves everything that was unknown before a time.
func (s *scriptedRun) setResolutionOfAll(t *testing.T, before time.Time, resolution string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, "all@"+before.UTC().Format(time.RFC3339)+"="+resolution)
	})
	s.notifyManagers()
}

// The outcome of a late acceptance is unknown from when it was discovered: a resolution from before
// that was about something else.
func TestR27LateAcceptanceNeedsALaterResolution(t *testing.T) {
	t.Parallel()
	for resolution, reason := range map[string]string{
		"Succeeded": v1alpha1.ReasonSubmitted, "Abandoned": v1alpha1.ReasonAbandoned,
	} {
		t.Run(resolution, func(t *testing.T) {
			t.Parallel()
			runScript(t, ordering, 2, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.acceptLate(t, v1alpha1.ApprovalAlways)
				orders := len(s.sent)
				since := s.onlyLedger(t).Spec.Open[0].FinishedAt.Time
				s.setResolutionOfAll(t, since, resolution)
				s.drive(t.Context())
				s.expectOrders(t, orders, v1alpha1.ReasonLateAcceptance)

				sleep(time.Second)
				s.setResolutionOfAll(t, now(), resolution)
				s.drive(t.Context())
				s.expectOrders(t, orders, reason)
				settled := s.onlyLedger(t).RequestOf(ordering)
				if by := settled.ResolvedBy; by == nil || by.At.Time.Before(since) || !settled.FinishedAt.After(since) {
					t.Errorf("resolved by %+v, and it ended at %s", by, settled.FinishedAt)
				}
			})
		})
	}
}

// setResolutionOf sets another resolution for an attempt, whatever its outcome.
func (s *scriptedRun) setResolutionOf(t *testing.T, attemptID, resolution string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, attemptID+"="+resolution)
	})
	s.notifyManagers()
	s.drive(t.Context())
}

// submitPath returns the path to which requests of an operation are posted.
func submitPath(operation v1alpha1.Operation) string {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.SubmitPath
}

// A person who has resolved a request as done may learn that it was not: its supposed result
// becomes unknown, and it is sent again.
func TestR14NewerResolutionReplacesSucceeded(t *testing.T) {
	t.Parallel()
	for _, scenario := range []struct {
		operation   v1alpha1.Operation
		done, after string // the reason as done, and after the newer resolution
		resolution  string
		sent        int
	}{
		{converting, v1alpha1.ReasonInSync, v1alpha1.ReasonInSync, "NotAccepted", 2},
		{converting, v1alpha1.ReasonInSync, v1alpha1.ReasonAbandoned, "Abandoned", 1},
		{diagnosing, v1alpha1.ReasonCompleted, v1alpha1.ReasonCompleted, "NotAccepted", 2},
		{diagnosing, v1alpha1.ReasonCompleted, v1alpha1.ReasonAbandoned, "Abandoned", 1},
		{ordering, v1alpha1.ReasonSubmitted, v1alpha1.ReasonSubmitted, "NotAccepted", 2},
		{ordering, v1alpha1.ReasonSubmitted, v1alpha1.ReasonAbandoned, "Abandoned", 1},
	} {
		runScript(t, scenario.operation, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.faultAt = atFirst("POST "+submitPath(scenario.operation), func() FaultKind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().Record().RequestOf(scenario.operation).AttemptID
			sleep(longestWork) // a second request beside it would be refused
			s.setResolutionOf(t, attempt, "Succeeded")
			if reason, _, _ := stateOf(s.subject()); reason != scenario.done || s.posted(scenario.operation) != 1 {
				t.Errorf("%s: resolved as done, it is %s, and %d were sent",
					scenario.operation, reason, s.posted(scenario.operation))
			}
			s.setResolutionOf(t, attempt, scenario.resolution)
			if reason, _, _ := stateOf(s.subject()); reason != scenario.after || s.posted(scenario.operation) != scenario.sent {
				t.Errorf("%s: resolved as %s, it is %s, and %d were sent",
					scenario.operation, scenario.resolution, reason, s.posted(scenario.operation))
			}
		})
	}
}

// A person who has abandoned a request may learn that it was carried out.
func TestR14NewerResolutionReplacesAbandoned(t *testing.T) {
	t.Parallel()
	for _, scenario := range []struct {
		operation v1alpha1.Operation
		done      string
	}{
		{converting, v1alpha1.ReasonInSync},
		{diagnosing, v1alpha1.ReasonCompleted},
		{ordering, v1alpha1.ReasonSubmitted},
	} {
		operation, done := scenario.operation, scenario.done
		runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.faultAt = atFirst("POST /api/connect", func() FaultKind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().Record().RequestOf(operation).AttemptID
			s.setResolutionOf(t, attempt, "Abandoned")
			if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonAbandoned {
				t.Fatalf("%s: given up, it is %s", operation, reason)
			}
			s.setResolutionOf(t, attempt, "Succeeded")
			if reason, _, _ := stateOf(s.subject()); reason != done || s.posted(operation) != 1 {
				t.Errorf("%s: it is %s, and %d were sent", operation, reason, s.posted(operation))
			}
			if last := s.onlyLedger(t).RequestOf(operation); last.Phase != v1alpha1.PhaseSucceeded ||
				last.ResolvedBy == nil || last.ResolvedBy.Word != attempt+"=Succeeded" {
				t.Errorf("%s: the recorded request is %+v", operation, last)
			}
		})
	}
}

// The resolution is recorded in the ledger, and the status does not show it yet. The write to the
// ledger triggers a pass of the other of two leading managers, which must not record the same
// resolution again: they would trigger each other forever.
func TestR14RecordedResolutionIsNotRecordedAgain(t *testing.T) {
	t.Parallel()
	for _, resolution := range []string{"NotAccepted", "Abandoned", "Succeeded"} {
		runScript(t, converting, 2, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.faultAt = atFirst("POST "+submitPath(converting), func() FaultKind { return BadGateway })
			s.drive(t.Context())
			s.setResolution(t, resolution)
			s.faultAt = atFirst("update status *v1alpha1.BroadbandService", func() FaultKind {
				before := s.onlyLedger(t).Spec.Revision
				s.managers[1].pass(t.Context())
				if after := s.onlyLedger(t).Spec; after.Revision != before && after.Sequence == 1 {
					t.Errorf("%s was recorded twice: revision %d, and then %d", resolution, before, after.Revision)
				}
				return noFault
			})
			s.managers[0].pass(t.Context())
		})
	}
}
