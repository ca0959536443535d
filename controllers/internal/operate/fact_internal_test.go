// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Another process may have recorded something since the decision.
func TestADecisionChangesOnlyThePhaseThatItWasMadeFor(t *testing.T) {
	t.Parallel()
	const judged, other, decided = v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown
	for _, row := range []struct{ phase, want v1alpha1.RequestPhase }{{judged, decided}, {other, other}} {
		settled := false
		fact := Decided(
			decide.Resolve{By: decide.WriterRule, From: judged, Phase: decided},
			func(*v1alpha1.Request) { settled = true },
		)
		request := v1alpha1.Request{Operation: v1alpha1.OperationPlanChange, Phase: row.phase}
		fact.Apply(&v1alpha1.BroadbandService{}, &request)
		if request.Phase != row.want || settled != (row.phase == judged) {
			t.Errorf("%s became %s, settled %t", row.phase, request.Phase, settled)
		}
	}
}
