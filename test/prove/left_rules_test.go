// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// "What is open stays in the ledger (column, metric and Event: open and holder gone)" (R24).
func TestR24WhatIsOpenWithoutItsObjectIsCounted(t *testing.T) {
	t.Parallel()
	for _, asks := range []v1alpha1.Operation{converting, changing, diagnosing} {
		t.Run(string(asks), func(t *testing.T) {
			t.Parallel()
			script(t, asks, 1, func(t *testing.T, s *scripted) {
				t.Helper()
				s.untilOpen(t)
				s.expectLeft(t, asks, 0)
				s.forceAway(t)
				s.expectLeft(t, asks, 1)
				s.create(t.Context())
				s.alert()
				s.drive(t.Context())
				s.expectLeft(t, asks, 0)
			})
		})
	}
}

// forceAway removes the object's finalizers, and deletes it.
func (s *scripted) forceAway(t *testing.T) {
	t.Helper()
	subject := s.subject()
	subject.SetFinalizers(nil)
	must(s.store.Client().Update(t.Context(), subject))
	must(s.store.Client().Delete(t.Context(), subject))
}

func (s *scripted) expectLeft(t *testing.T, operation v1alpha1.Operation, want int) {
	t.Helper()
	left, err := s.managers[0].reconcilers.Answers.LeftOpen(t.Context())
	if err != nil || left[operation] != want {
		t.Fatalf("%v is open without its object, and not %d of %s (%v)", left, want, operation, err)
	}
}
