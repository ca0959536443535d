// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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
			if said, _, _ := standing(s.subject()); said != v1alpha1.ReasonCarrierRejected {
				t.Fatalf("%s: given up, it is %s", asks, said)
			}
			s.saysOf(t, attempt, "Succeeded")
			if said, _, _ := standing(s.subject()); said != done || s.posted(asks) != 1 {
				t.Errorf("%s: it is %s, and %d were sent", asks, said, s.posted(asks))
			}
			if last := s.theLedger(t).RequestOf(asks); last.Phase != v1alpha1.PhaseSucceeded ||
				last.ResolvedBy == nil || last.ResolvedBy.Word != attempt+"=Succeeded" {
				t.Errorf("%s: on record is %+v", asks, last)
			}
		})
	}
}
