// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// "One that goes back while it runs is LedgerLost" (R6), also if that is found during a pass: a
// restore empties the ledger while a resolution is recorded. No process may continue from what is
// left of it.
func TestR6ALedgerThatGoesBackDuringAPassIsLost(t *testing.T) {
	t.Parallel()
	script(t, converting, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("POST /api/connect/services/aggregation-conversions", func() Kind { return Lost })
		s.passes(t, s.managers[0], 10*time.Minute)
		s.says(t, "Abandoned")
		s.at = once("update *v1alpha1.RequestLedger service-", func() Kind {
			s.emptyLedger(t.Context())
			return nothing
		})
		s.drive(t.Context())
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonLedgerLost || s.posted(converting) != 1 {
			t.Errorf("%d were sent, and it is %s", s.posted(converting), reason)
		}
	})
}
