// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"
)

// openTests returns the attempts in the tests' ledger that have not ended.
func (s *scriptedRun) openTests(t *testing.T) int {
	t.Helper()
	for _, ledger := range s.ledgers(t) {
		if ledger.Spec.Diagnostics != nil {
			return len(ledger.Spec.Open)
		}
	}
	return 0
}

// Two managers see that no test of the service is in progress, each for an object of its own.
func TestR3TwoManagersRunOneTestOfAServiceAtATime(t *testing.T) {
	t.Parallel()
	for _, between := range []string{
		"create *v1alpha1.RequestLedger diagnostics-", "read diagnostics-", "POST /api/",
	} {
		runScript(t, diagnosing, 2, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			must(s.world.Create(t.Context(), s.another()))
			reached := false
			s.faultAt = atFirst(between, func() FaultKind { reached = true; s.passOtherTest(t); return noFault })
			s.managers[0].pass(t.Context())
			if posted := s.posted(diagnosing); !reached || posted != 1 || s.openTests(t) != 1 {
				t.Fatalf("%s: %d were sent and %d are open (%t)", between, posted, s.openTests(t), reached)
			}
			for range 20 {
				sleep(30 * time.Second)
				s.notifyManagers() // as the watch on ledgers does
				s.managers[0].pass(t.Context())
				s.passOtherTest(t)
			}
			if posted := s.posted(diagnosing); posted != 2 {
				t.Errorf("%s: %d were sent in the end", between, posted)
			}
		})
	}
}
