// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// saysOfAll resolves everything that was unknown before a time.
func (s *scripted) saysOfAll(t *testing.T, before time.Time, word string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, "all@"+before.UTC().Format(time.RFC3339)+"="+word)
	})
	s.alert()
}

// The outcome of a late acceptance is unknown from when it was discovered: a resolution from before
// that was about something else.
func TestR27ALateAcceptanceIsSettledByAWordFromAfterIt(t *testing.T) {
	t.Parallel()
	for word, reason := range map[string]string{
		"Succeeded": v1alpha1.ReasonSubmitted, "Abandoned": v1alpha1.ReasonCarrierRejected,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			script(t, ordering, 2, func(t *testing.T, s *scripted) {
				t.Helper()
				s.acceptLate(t, v1alpha1.ApprovalAlways)
				orders := len(s.sent)
				since := s.theLedger(t).Spec.Open[0].FinishedAt.Time
				s.saysOfAll(t, since, word)
				s.drive(t.Context())
				s.expectOrders(t, orders, v1alpha1.ReasonLateAcceptance)

				sleep(time.Second)
				s.saysOfAll(t, now(), word)
				s.drive(t.Context())
				s.expectOrders(t, orders, reason)
				settled := s.theLedger(t).RequestOf(ordering)
				if by := settled.ResolvedBy; by == nil || by.At.Time.Before(since) || !settled.FinishedAt.After(since) {
					t.Errorf("resolved by %+v, and it ended at %s", by, settled.FinishedAt)
				}
			})
		})
	}
}
