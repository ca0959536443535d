// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// saysOf sets another resolution for an attempt, whatever its outcome.
func (s *scripted) saysOf(t *testing.T, attemptID, word string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, attemptID+"="+word)
	})
	s.alert()
	s.drive(t.Context())
}

// submitPath returns the path to which requests of an operation are posted.
func submitPath(operation v1alpha1.Operation) string {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.SubmitPath
}

// A person who has resolved a request as done may learn that it was not: its supposed result
// becomes unknown, and it is sent again.
func TestR14WhatAPersonCalledDoneTakesANewerWord(t *testing.T) {
	t.Parallel()
	for _, scenario := range []struct {
		asks        v1alpha1.Operation
		done, after string // the reason as done, and after the newer resolution
		word        string
		sent        int
	}{
		{converting, v1alpha1.ReasonInSync, v1alpha1.ReasonInSync, "NotAccepted", 2},
		{converting, v1alpha1.ReasonInSync, v1alpha1.ReasonCarrierRejected, "Abandoned", 1},
		{diagnosing, v1alpha1.ReasonCompleted, v1alpha1.ReasonCompleted, "NotAccepted", 2},
		{diagnosing, v1alpha1.ReasonCompleted, v1alpha1.ReasonCarrierRejected, "Abandoned", 1},
		{ordering, v1alpha1.ReasonSubmitted, v1alpha1.ReasonSubmitted, "NotAccepted", 2},
		{ordering, v1alpha1.ReasonSubmitted, v1alpha1.ReasonCarrierRejected, "Abandoned", 1},
	} {
		script(t, scenario.asks, 1, func(t *testing.T, s *scripted) {
			t.Helper()
			s.at = once("POST "+submitPath(scenario.asks), func() Kind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().RequestOf(scenario.asks).AttemptID
			sleep(longestWork) // a second request beside it would be refused
			s.saysOf(t, attempt, "Succeeded")
			if said, _, _ := stateOf(s.subject()); said != scenario.done || s.posted(scenario.asks) != 1 {
				t.Errorf("%s: called done, it is %s, and %d were sent", scenario.asks, said, s.posted(scenario.asks))
			}
			s.saysOf(t, attempt, scenario.word)
			if said, _, _ := stateOf(s.subject()); said != scenario.after || s.posted(scenario.asks) != scenario.sent {
				t.Errorf("%s: called %s, it is %s, and %d were sent", scenario.asks, scenario.word, said, s.posted(scenario.asks))
			}
		})
	}
}

// A person who has abandoned a request may learn that it was carried out.
func TestR14WhatAPersonGaveUpTakesANewerWord(t *testing.T) {
	t.Parallel()
	for _, scenario := range []struct {
		asks v1alpha1.Operation
		done string
	}{
		{converting, v1alpha1.ReasonInSync},
		{diagnosing, v1alpha1.ReasonCompleted},
		{ordering, v1alpha1.ReasonSubmitted},
	} {
		asks, done := scenario.asks, scenario.done
		script(t, asks, 1, func(t *testing.T, s *scripted) {
			t.Helper()
			s.at = once("POST /api/connect", func() Kind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().RequestOf(asks).AttemptID
			s.saysOf(t, attempt, "Abandoned")
			if said, _, _ := stateOf(s.subject()); said != v1alpha1.ReasonCarrierRejected {
				t.Fatalf("%s: given up, it is %s", asks, said)
			}
			s.saysOf(t, attempt, "Succeeded")
			if said, _, _ := stateOf(s.subject()); said != done || s.posted(asks) != 1 {
				t.Errorf("%s: it is %s, and %d were sent", asks, said, s.posted(asks))
			}
			if last := s.theLedger(t).RequestOf(asks); last.Phase != v1alpha1.PhaseSucceeded ||
				last.ResolvedBy == nil || last.ResolvedBy.Word != attempt+"=Succeeded" {
				t.Errorf("%s: on record is %+v", asks, last)
			}
		})
	}
}

// The resolution is recorded, and the status does not show it yet. That write wakes the other of
// two leading managers, which must not record the same resolution again: they would wake each other
// forever.
func TestR14AWordThatIsOnRecordIsNoNewerOne(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"NotAccepted", "Abandoned", "Succeeded"} {
		script(t, converting, 2, func(t *testing.T, s *scripted) {
			t.Helper()
			s.at = once("POST "+submitPath(converting), func() Kind { return BadGateway })
			s.drive(t.Context())
			s.says(t, word)
			s.at = once("update status *v1alpha1.BroadbandService", func() Kind {
				before := s.theLedger(t).Spec.Revision
				s.managers[1].pass(t.Context())
				if after := s.theLedger(t).Spec; after.Revision != before && after.Sequence == 1 {
					t.Errorf("%s was recorded twice: revision %d, and then %d", word, before, after.Revision)
				}
				return nothing
			})
			s.managers[0].pass(t.Context())
		})
	}
}
