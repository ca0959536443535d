// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A ledger that goes back while a process runs is lost (R6), even if that is found during a pass: a
// restore empties the ledger while a resolution is recorded. No process may continue from what is
// left of it.
func TestR6LedgerRolledBackDuringAPassIsLost(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST /api/connect/services/aggregation-conversions", func() FaultKind { return Lost })
		s.runFor(t, s.managers[0], 10*time.Minute)
		s.setResolution(t, "Abandoned")
		s.faultAt = atFirst("update *v1alpha1.RequestLedger service-", func() FaultKind {
			s.emptyLedger(t.Context())
			return noFault
		})
		s.drive(t.Context())
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonLedgerLost || s.posted(converting) != 1 {
			t.Errorf("%d were sent, and it is %s", s.posted(converting), reason)
		}
	})
}

// A test that is deleted writes into the ledger of all tests of its service, and must not hide from
// the other tests that the ledger has gone back (R6).
func TestR6DeletedTestDoesNotHideARolledBackLedger(t *testing.T) {
	t.Parallel()
	runScript(t, diagnosing, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST "+submitPath(diagnosing), func() FaultKind { return BadGateway })
		s.drive(t.Context())
		attempt, before, older := s.subject().Record().RequestOf(diagnosing).AttemptID, s.subject(), s.onlyLedger(t)
		s.setResolutionOf(t, attempt, "Abandoned")
		must(s.world.Create(t.Context(), s.another()))
		s.passOtherTest(t)
		if s.posted(diagnosing) != 2 {
			t.Fatalf("%d were sent", s.posted(diagnosing))
		}
		// Everything is restored: the second test is as it was before it was sent.
		s.replaceLedger(t.Context(), s.onlyLedger(t), older)
		before.SetResourceVersion(s.subject().GetResourceVersion())
		must(s.store.Client().Status().Update(t.Context(), before))
		other := s.otherTest(t)
		other.Status = v1alpha1.DiagnosticTestStatus{}
		must(s.store.Client().Status().Update(t.Context(), other))
		other.SetFinalizers(nil)
		must(s.store.Client().Update(t.Context(), other))

		must(client.IgnoreNotFound(s.store.Client().Delete(t.Context(), s.subject())))
		manager := s.managers[1]
		_, err := manager.reconcile(t.Context(), reconcilerOf(manager.reconcilers, kindTest), s.name)
		must(err)
		s.passOtherTest(t)
		if reason, _, _ := stateOf(s.otherTest(t)); reason != v1alpha1.ReasonLedgerLost || s.posted(diagnosing) != 2 {
			t.Errorf("%d were sent, and it is %s", s.posted(diagnosing), reason)
		}
	})
}
