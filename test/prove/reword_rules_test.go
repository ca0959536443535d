// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// saysOf has a person say another word on an attempt, whatever has become of it.
func (s *scripted) saysOf(t *testing.T, attemptID, word string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, attemptID+"="+word)
	})
	s.alert()
	s.drive(t.Context())
}

// submitPath is where requests of an operation are posted.
func submitPath(operation v1alpha1.Operation) string {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.SubmitPath
}

// A person who has called a request done may learn that it was not: what it was believed to have
// brought about is not known any more, and it is sent again.
func TestR14WhatAPersonCalledDoneTakesANewerWord(t *testing.T) {
	t.Parallel()
	for _, story := range []struct {
		asks        v1alpha1.Operation
		done, after string // how it is shown as done, and after the newer word
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
		script(t, story.asks, 1, func(t *testing.T, s *scripted) {
			t.Helper()
			s.at = once("POST "+submitPath(story.asks), func() Kind { return BadGateway })
			s.drive(t.Context())
			attempt := s.subject().RequestOf(story.asks).AttemptID
			sleep(longestWork) // a second one beside it would be refused
			s.saysOf(t, attempt, "Succeeded")
			if said, _, _ := stateOf(s.subject()); said != story.done || s.posted(story.asks) != 1 {
				t.Errorf("%s: called done, it is %s, and %d were sent", story.asks, said, s.posted(story.asks))
			}
			s.saysOf(t, attempt, story.word)
			if said, _, _ := stateOf(s.subject()); said != story.after || s.posted(story.asks) != story.sent {
				t.Errorf("%s: called %s, it is %s, and %d were sent", story.asks, story.word, said, s.posted(story.asks))
			}
		})
	}
}

// A person who has given a request up may learn that it was carried out.
func TestR14WhatAPersonGaveUpTakesANewerWord(t *testing.T) {
	t.Parallel()
	for _, story := range []struct {
		asks v1alpha1.Operation
		done string
	}{
		{converting, v1alpha1.ReasonInSync},
		{diagnosing, v1alpha1.ReasonCompleted},
		{ordering, v1alpha1.ReasonSubmitted},
	} {
		asks, done := story.asks, story.done
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

// The word is on record, and the status does not show it yet. Of two managers that both lead, the
// other is woken by that write, and must not record the same word once more: they would wake each
// other for ever.
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
