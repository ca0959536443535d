// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// "One that goes back while it runs is LedgerLost" (R6): a test that is deleted writes into the
// ledger of all tests of its service, and must not hide the loss from the others.
func TestR6ATestThatLeavesDoesNotHideThatItsLedgerWentBack(t *testing.T) {
	t.Parallel()
	script(t, diagnosing, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("POST "+submitPath(diagnosing), func() Kind { return BadGateway })
		s.drive(t.Context())
		attempt, before, older := s.subject().RequestOf(diagnosing).AttemptID, s.subject(), s.theLedger(t)
		s.saysOf(t, attempt, "Abandoned")
		must(s.world.Create(t.Context(), s.world.Test("other", lineID)))
		s.passAnother(t)
		if s.posted(diagnosing) != 2 {
			t.Fatalf("%d were sent", s.posted(diagnosing))
		}
		// Everything is restored: the second test is as it was before it was sent.
		s.replaceLedger(t.Context(), s.theLedger(t), older)
		before.SetResourceVersion(s.subject().GetResourceVersion())
		must(s.store.Client().Status().Update(t.Context(), before))
		other := s.another(t)
		other.Status = v1alpha1.DiagnosticTestStatus{}
		must(s.store.Client().Status().Update(t.Context(), other))
		other.SetFinalizers(nil)
		must(s.store.Client().Update(t.Context(), other))

		must(client.IgnoreNotFound(s.store.Client().Delete(t.Context(), s.subject())))
		manager := s.managers[1]
		_, err := manager.alive(t.Context(), reconcilerOf(manager.reconcilers, kindTest), s.name)
		must(err)
		s.passAnother(t)
		if said, _, _ := stateOf(s.another(t)); said != v1alpha1.ReasonLedgerLost || s.posted(diagnosing) != 2 {
			t.Errorf("%d were sent, and it is %s", s.posted(diagnosing), said)
		}
	})
}
