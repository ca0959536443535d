// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// TestDriftShowsAtTheNextReading changes a settled service at the carrier, in a default installation:
// the change is reported or, with driftPolicy Correct, undone once a person has approved that.
func TestDriftShowsAtTheNextReading(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ reason, plan, day string }{
		installedPlan:       {v1alpha1.ReasonDrifted, world.PlanCheap, ""},
		correctedPlan:       {v1alpha1.ReasonInSync, world.PlanFast, ""},
		correctedReschedule: {v1alpha1.ReasonInSync, world.PlanSlow, newDate},
	} {
		for managers := 1; managers <= 2; managers++ {
			runScriptOf(t, scenarioNamed(name), managers, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.expectDriven(t, v1alpha1.ReasonInSync)
				s.act(s.managers[0].port, Read, DriftedElsewhere)
				s.expectDriven(t, want.reason)
				line := s.line()
				if _, day := cancellationOf(&line); line.Plan != want.plan || day != want.day {
					t.Errorf("%s: the carrier has plan %q and date %q", name, line.Plan, day)
				}
			})
		}
	}
}

// scenarioNamed returns a scenario by its name.
func scenarioNamed(name string) *Scenario {
	all := Scenarios()
	return all[slices.IndexFunc(all, func(scenario *Scenario) bool { return scenario.Name == name })]
}

// expectDriven runs passes, and lets a person approve, until nothing more happens.
func (s *scriptedRun) expectDriven(t *testing.T, want string) {
	t.Helper()
	s.drive(t.Context())
	for range maxHelp {
		if s.approve(t.Context()) {
			s.drive(t.Context())
		}
	}
	if reason, _, _ := stateOf(s.subject()); reason != want || len(s.violations) > 0 {
		t.Fatalf("it is %s, not %s: %v", reason, want, s.violations)
	}
}
