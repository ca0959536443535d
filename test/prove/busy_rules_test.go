// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// "422 whose every sub-error code ends in `.in.progress` means that somebody else's change is under
// way: wait and try again (5 to 30 min), for every operation."
func TestARefusalBecauseAnotherRequestIsInProgressNeedsOnlyTime(t *testing.T) {
	t.Parallel()
	scheme := setUp(t)
	for _, scenario := range Scenarios() {
		if scenario.Trusts {
			continue // it sends nothing
		}
		for _, managers := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) { expectSentAfterPause(t, scheme, scenario, managers) })
		}
	}
}

// expectSentAfterPause runs a scenario in which the first POST of its operation is refused because
// another request is in progress.
func expectSentAfterPause(t *testing.T, scheme *runtime.Scheme, scenario *Scenario, managers int) {
	t.Helper()
	post := "POST " + submitPath(scenario.Operation)
	plan := Plan{Scenario: scenario, Managers: managers, Faults: []Fault{{What: post, Nth: 1, Kind: Busy}}}
	r := newRun(t.Context(), scheme, plan)
	r.execute(t.Context())
	if len(r.violations) > 0 {
		t.Errorf("%s: %s", plan, r.violations)
	}
	other := func(effect Effect) bool { return effect.What != post }
	sent := slices.DeleteFunc(slices.Clone(r.effects[:r.lastEffect]), other)
	if len(sent) != 2 {
		t.Fatalf("%s: it was sent %d times, want twice", plan, len(sent))
	}
	const truncated = time.Second // recorded times are truncated to seconds
	if pause := sent[1].at.Sub(sent[0].at); pause < busyPause-truncated || pause > 30*time.Minute {
		t.Errorf("%s: it was sent again after %s", plan, pause)
	}
}
