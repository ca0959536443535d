// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// An attempt that was accepted late for an object that has been replaced has no generation. Once a
// person has abandoned it, it is a failure of the present generation, which is not sent again.
func TestR15AnAbandonedLateAcceptanceIsOfThePresentGeneration(t *testing.T) {
	t.Parallel()
	fact := Decided(decide.Resolve{
		By: decide.WriterPerson, From: v1alpha1.PhaseLateAcceptance, Phase: v1alpha1.PhaseAbandoned,
	}, func(*v1alpha1.Request) {})
	for before, after := range map[int64]int64{0: 5, 3: 3} {
		request := v1alpha1.Request{Phase: v1alpha1.PhaseLateAcceptance, Generation: before}
		fact.Apply(&v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Generation: 5}}, &request)
		if request.Phase != v1alpha1.PhaseAbandoned || request.Generation != after {
			t.Errorf("generation %d: it is %s of generation %d", before, request.Phase, request.Generation)
		}
	}
}
