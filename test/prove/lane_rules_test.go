// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

const running = v1alpha1.OperationDiagnosticTest

// openTests returns the attempts in the tests' ledger that have not ended.
func (s *scripted) openTests(t *testing.T) int {
	t.Helper()
	for _, ledger := range s.ledgers(t) {
		if ledger.Spec.Diagnostics != nil {
			return len(ledger.Spec.Open)
		}
	}
	return 0
}

// looksAtOther runs a pass of the second manager over another test of the same service.
func (s *scripted) looksAtOther(t *testing.T) {
	t.Helper()
	other := s.managers[1]
	_, err := other.alive(t.Context(), reconcilerOf(other.reconcilers, kindTest), keyIn(s.run, "other"))
	must(err)
}

// Two managers see that no test of the service is in progress, each for an object of its own.
func TestR3TwoManagersRunOneTestOfAServiceAtATime(t *testing.T) {
	t.Parallel()
	for _, between := range []string{
		"create *v1alpha1.RequestLedger diagnostics-", "read diagnostics-", "POST /api/",
	} {
		script(t, running, 2, func(t *testing.T, s *scripted) {
			t.Helper()
			must(s.world.Create(t.Context(), s.world.Test("other", lineID)))
			met := false
			s.at = once(between, func() Kind { met = true; s.looksAtOther(t); return nothing })
			s.managers[0].pass(t.Context())
			if posted := s.posted(running); !met || posted != 1 || s.openTests(t) != 1 {
				t.Fatalf("%s: %d were sent and %d are open (%t)", between, posted, s.openTests(t), met)
			}
			for range 20 {
				sleep(30 * time.Second)
				s.alert() // as the watch on ledgers does
				s.managers[0].pass(t.Context())
				s.looksAtOther(t)
			}
			if posted := s.posted(running); posted != 2 {
				t.Errorf("%s: %d were sent in the end", between, posted)
			}
		})
	}
}
