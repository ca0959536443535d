// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// TestDriftShowsAtTheNextReading changes a settled service at the carrier, in a default
// installation: the change is reported or, with driftPolicy Correct, undone once a person has
// approved that. Only with that approval may something be bought again.
func TestDriftShowsAtTheNextReading(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		reason, plan, day string
		repeatable        int
	}{
		installedPlan:       {v1alpha1.ReasonDrifted, world.PlanCheap, "", 0},
		correctedPlan:       {v1alpha1.ReasonInSync, world.PlanFast, "", 1},
		correctedReschedule: {v1alpha1.ReasonInSync, world.PlanSlow, newDate, 0},
	} {
		for managers := 1; managers <= 2; managers++ {
			runScriptOf(t, scenarioNamed(name), managers, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.expectDriven(t, v1alpha1.ReasonInSync)
				s.act(s.managers[0].port, Read, DriftedElsewhere)
				s.expectDriven(t, want.reason)
				line := s.line()
				_, day := cancellationOf(&line)
				if line.Plan != want.plan || day != want.day || len(s.repeatable) != want.repeatable {
					t.Errorf("%s: the carrier has plan %q and date %q, and %d purchases may be repeated",
						name, line.Plan, day, len(s.repeatable))
				}
				s.expectQuiet(t)
			})
		}
	}
}

// expectQuiet expects that for a day nothing is done except for readings at an interval.
func (s *scriptedRun) expectQuiet(t *testing.T) {
	t.Helper()
	s.lastEffect = len(s.effects)
	s.expectIdle(t.Context())
	if len(s.violations) > 0 {
		t.Errorf("%s: %v", s.plan.Scenario.Name, s.violations)
	}
}

// TestDriftThatIsReportedIsNotUndone changes the plan at the carrier at any effect of a default
// installation. A person approves every shown change that the carrier does not have. The plan must
// still be bought only once.
func TestDriftThatIsReportedIsNotUndone(t *testing.T) {
	t.Parallel()
	scheme, scenario := setUp(t), scenarioNamed(installedPlan)
	effects := runPlan(t, scheme, Plan{Scenario: scenario, Managers: 1}, &Tally{}).Effects
	for i, effect := range effects {
		if isTried(effects, i, DriftedElsewhere) {
			plan := Plan{Scenario: scenario, Managers: 1, Faults: []Fault{{At: effect.Number, Kind: DriftedElsewhere}}}
			if outcome := runPlan(t, scheme, plan, &Tally{}); len(outcome.Violations) > 0 {
				t.Errorf("%s: %s", plan, outcome.Violations)
			}
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
