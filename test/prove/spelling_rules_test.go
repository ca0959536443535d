// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// A carrier spells its plans differently in health. A person has said that the service is as
// declared after the ledger was lost. The operator then reads another name. It must not buy the
// plan again, although the account sends changes without an approval.
func TestR5ResolvedLossDoesNotBuyAPlanThatIsSpelledDifferently(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*testing.T, *scriptedRun){
		"the ledger is lost":    func(t *testing.T, s *scriptedRun) { t.Helper(); s.loseLedger(t); s.restart() },
		"the status is forged":  func(t *testing.T, s *scriptedRun) { t.Helper(); s.forgeStatus(t.Context()); s.restart() },
		"the ledger is emptied": func(t *testing.T, s *scriptedRun) { t.Helper(); s.emptyLedger(t.Context()); s.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScriptOf(t, spelledDifferently(), 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				const changing = v1alpha1.OperationPlanChange
				s.expectPosted(t, changing, 0, v1alpha1.ReasonAwaitingApproval)
				s.approve(t.Context())
				s.expectPosted(t, changing, 1, v1alpha1.ReasonInSync)
				lose(t, s)
				s.expectPosted(t, changing, 1, v1alpha1.ReasonLedgerLost)
				s.setResolution(t, "Succeeded")
				s.expectPosted(t, changing, 1, v1alpha1.ReasonAwaitingApproval)
				pending := pendingOf(s.subject())
				if !pending.Changes[0].Unknown {
					t.Fatalf("%+v is shown as known to differ", pending.Changes[0])
				}
				s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationTrust, pending.Hash) })
				s.notifyManagers()
				s.expectPosted(t, changing, 1, v1alpha1.ReasonInSync)
			})
		})
	}
}

// spelledDifferently is a plan change at a carrier that spells its plans differently in health, which
// asks only about unknown values.
func spelledDifferently() *Scenario {
	scenario := *scenarioNamed("PlanChange")
	object := scenario.Object
	scenario.HealthPrefix = "Access "
	scenario.Object = func(w *world.World) client.Object {
		applied := object(w)
		if service, is := applied.(*v1alpha1.BroadbandService); is {
			service.Spec.UnknownValues = v1alpha1.UnknownAsk
		}
		return applied
	}
	return &scenario
}
