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

// TestActionsWithinAGapHaveTheSameResult justifies what the enumeration leaves out. An action
// before an effect that is left out leads to the same effects, one by one, and to the same end as
// the same action before the next effect that is tried.
func TestActionsWithinAGapHaveTheSameResult(t *testing.T) {
	t.Parallel()
	scheme := setUp(t)
	for i, scenario := range Scenarios() {
		by := thinnings[scenario.Name]
		if i%world.Scale(5, 1) != 0 || scenario.Installed && !isDeep() || world.Scale(by.FullOnly, false) {
			continue
		}
		for managers := 1; managers <= 2; managers++ {
			t.Run(fmt.Sprintf("%s/managers=%d", scenario.Name, managers), func(t *testing.T) {
				t.Parallel()
				expectSameInGaps(t, scheme, Plan{Scenario: scenario, Managers: managers})
			})
		}
	}
}

func expectSameInGaps(t *testing.T, scheme *runtime.Scheme, plan Plan) {
	t.Helper()
	var tally Tally
	whole := runPlan(t, scheme, plan, &tally).Effects
	leftOut := 0
	for _, kind := range actions(plan.Scenario, plan.Managers) {
		leftOut += expectSameAsTried(t, scheme, plan, kind, whole)
	}
	if leftOut == 0 {
		t.Error("nothing is left out")
	}
}

// expectSameAsTried compares an action before each effect that is left out with the same action before
// the next effect that is tried. It returns how many effects are left out.
func expectSameAsTried(
	t *testing.T, scheme *runtime.Scheme, plan Plan, kind FaultKind, whole []Effect,
) (leftOut int) {
	t.Helper()
	next, there := 0, "" // the effect that is tried, and the result of the action before it, once it is needed
	for i := range slices.Backward(whole) {
		if isTried(whole, i, kind) {
			next, there = i, ""
			continue
		}
		leftOut++
		if there == "" {
			there = resultOf(t, scheme, plan, Fault{At: next + 1, Kind: kind})
		}
		if here := resultOf(t, scheme, plan, Fault{At: i + 1, Kind: kind}); here != there {
			t.Errorf("%s at %d (%s) and at %d (%s):\n%s\n%s",
				kind, i+1, whole[i].What, next+1, whole[next].What, here, there)
		}
	}
	return leftOut
}

// resultOf returns the result of a plan: its effects, the object's conditions, and its recorded
// state.
func resultOf(t *testing.T, scheme *runtime.Scheme, plan Plan, fault Fault) (result string) {
	t.Helper()
	plan.Faults = []Fault{fault}
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t.Context(), scheme, plan)
		r.execute(t.Context())
		for _, effect := range r.effects {
			result += effect.What + "\n"
		}
		if subject := r.subject(); subject != nil {
			reason, ready, stuck := stateOf(subject)
			result += fmt.Sprintln(reason, ready, stuck)
			for contract := range carrier.Contracts() {
				if request := subject.Record().RequestOf(v1alpha1.Operation(contract.Operation)); request != nil {
					result += fmt.Sprintln(request.AttemptID, request.Phase, request.Location)
				}
			}
		}
	})
	return result
}
