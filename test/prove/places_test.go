// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// TestWhatIsDoneAnywhereInAGapIsTheSame justifies what the enumeration leaves out: an act at a
// place that is left out leads to the same effects, one by one, and to the same end as at the next
// place that is tried.
func TestWhatIsDoneAnywhereInAGapIsTheSame(t *testing.T) {
	t.Parallel()
	scheme := stage(t)
	for i, scenario := range Scenarios() {
		if i%world.Scale(4, 1) != 0 {
			continue
		}
		for managers := 1; managers <= 2; managers++ {
			t.Run(fmt.Sprintf("%s/managers=%d", scenario.Name, managers), func(t *testing.T) {
				t.Parallel()
				holdGaps(t, scheme, Plan{Scenario: scenario, Managers: managers})
			})
		}
	}
}

func holdGaps(t *testing.T, scheme *runtime.Scheme, plan Plan) {
	t.Helper()
	var tally Tally
	whole := carryOut(t, scheme, plan, &tally).Effects
	leftOut := 0
	for _, kind := range acts(plan.Scenario, plan.Managers) {
		tried := 0 // the place that is tried instead of those before it
		for i := range slices.Backward(whole) {
			if isPlace(whole, i, kind) {
				tried = i
				continue
			}
			leftOut++
			here := resultOf(t, scheme, plan, Fault{At: i + 1, Kind: kind})
			if there := resultOf(t, scheme, plan, Fault{At: tried + 1, Kind: kind}); here != there {
				t.Errorf("%s at %d (%s) and at %d (%s):\n%s\n%s",
					kind, i+1, whole[i].What, tried+1, whole[tried].What, here, there)
			}
		}
	}
	if leftOut == 0 {
		t.Error("nothing is left out")
	}
}

// resultOf returns the result of a plan: its effects, the object's conditions, and its recorded
// state.
func resultOf(t *testing.T, scheme *runtime.Scheme, plan Plan, fault Fault) (said string) {
	t.Helper()
	plan.Faults = []Fault{fault}
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t.Context(), scheme, plan)
		r.play(t.Context())
		for _, effect := range r.effects {
			said += effect.What + "\n"
		}
		if subject := r.subject(); subject != nil {
			reason, ready, stuck := stateOf(subject)
			said += fmt.Sprintln(reason, ready, stuck)
			for _, contract := range carrier.Contracts() {
				if request := subject.RequestOf(v1alpha1.Operation(contract.Operation)); request != nil {
					said += fmt.Sprintln(request.AttemptID, request.Phase, request.Location)
				}
			}
		}
	})
	return said
}
