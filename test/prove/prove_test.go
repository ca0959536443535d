// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// share returns how much is tried, depending on PROVE. If PROVE is unset, that is a small part, or
// a larger one if all tests run at full size. `make prove` sets it to "most". The value "all"
// leaves nothing out, and the value "alone", which `make mutants` sets, tries no pairs. PROVE_SEED
// selects other combinations.
func share(tb testing.TB) Share {
	tb.Helper()
	resolution := os.Getenv("PROVE")
	share, known := map[string]Share{
		"":      few(world.Scale(997, 127), world.Scale(7, 2)),
		"alone": even(math.MaxInt, 1),
		"most":  {Faults: 1, CacheReads: 6, Actions: 3, ActionPairs: 4, Mixed: 19, Orders: 1, Singles: 1},
		"all":   even(1, 1),
	}[resolution]
	if !known {
		tb.Fatalf("PROVE=%s: it is most, all, alone, or not set", resolution)
	}
	if seed := os.Getenv("PROVE_SEED"); seed != "" {
		number, err := strconv.Atoi(seed)
		if err != nil || number < 0 {
			tb.Fatalf("PROVE_SEED=%s: it is a number", seed)
		}
		share.Seed = number
	}
	return share
}

// even returns the same share of everything except single actions.
func even(of, alone int) Share {
	return Share{Faults: of, CacheReads: of, Actions: of, ActionPairs: of, Mixed: of, Orders: of, Singles: alone}
}

// few returns the share if PROVE is not set. At full size it has a tenth of the pairs of a stale
// read and something else, the most numerous pairs. Otherwise it has none.
func few(of, alone int) Share {
	share := even(of, alone)
	share.Mixed = world.Scale(math.MaxInt, times(of, 10))
	return share
}

func setUp(tb testing.TB) *runtime.Scheme {
	tb.Helper()
	gomega.RegisterFailHandler(func(message string, _ ...int) { panic(message) })
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard()) // every crash in a retried write is logged with its stack
	cacheVerification()
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(v1alpha1.AddToScheme(scheme))
	return scheme
}

// runPlan runs a plan in a synctest bubble of its own.
func runPlan(t *testing.T, scheme *runtime.Scheme, plan Plan, tally *Tally) (outcome Outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t.Context(), scheme, plan)
		r.execute(t.Context())
		tally.note(r)
		outcome = r.outcome()
	})
	return outcome
}

// tried returns the scenarios of this run. `make test` leaves out those that are FullOnly, and only
// `make prove` tries those that are DeepOnly.
func tried() []*Scenario {
	full := os.Getenv("PROVE") != "" || world.Scale(false, true)
	return slices.DeleteFunc(Scenarios(), func(scenario *Scenario) bool {
		by := thinnings[scenario.Name]
		return !full && by.FullOnly || !isDeep() && by.DeepOnly
	})
}

// isDeep reports whether PROVE is "most" or "all".
func isDeep() bool { return slices.Contains([]string{"most", "all"}, os.Getenv("PROVE")) }

// isComplete reports whether all scenarios to which the figures apply were tried.
func isComplete(total *Tally) bool {
	return total.scenarios >= len(Scenarios())-len(installedScenarios())
}

// TestProve runs every scenario with every plan, and prints the results by operation.
func TestProve(t *testing.T) {
	t.Parallel()
	scheme := setUp(t)
	var mu sync.Mutex
	var total Tally
	var described Comparison
	t.Cleanup(func() {
		t.Logf("prove: %-26s %s", "all operations", total.String())
		t.Logf("prove: %s", described.String())
		checkFigures(t, &total)
	})
	for _, scenario := range tried() {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			tallies := []*Tally{{}, {}}
			t.Cleanup(func() {
				whole := ofScenario(tallies)
				t.Logf("prove: %-26s %s", scenario.Name, whole.String())
				mu.Lock()
				defer mu.Unlock()
				total.Add(whole)
				described.Add(scenario, whole)
			})
			for i, tally := range tallies {
				t.Run(fmt.Sprintf("managers=%d", i+1), func(t *testing.T) {
					t.Parallel()
					enumerate(t, scheme, scenario, i+1, tally)
				})
			}
		})
	}
}

// The required figures. They apply in full if PROVE is "most" or "all".
const (
	minPlans    = 300_000
	minStale    = 3_300
	maxNeedless = 12 // of a hundred crashes
)

// checkFigures compares the totals of all operations with the required figures.
func checkFigures(t *testing.T, total *Tally) {
	t.Helper()
	if total.Alarms > 0 {
		t.Errorf("%d plans with a clean error needed a person without need", total.Alarms)
	}
	if !isComplete(total) {
		return // the other figures are about all operations
	}
	if total.Needless*100 > total.Crashes*maxNeedless {
		t.Errorf("%d of %d crashes needed a person without need", total.Needless, total.Crashes)
	}
	if share(t).Faults == 1 && (total.Plans() < minPlans || total.Stale < minStale) {
		t.Errorf("only %d plans, %d of them stale or unobserved, were tried", total.Plans(), total.Stale)
	}
}

func enumerate(t *testing.T, scheme *runtime.Scheme, scenario *Scenario, managers int, tally *Tally) {
	t.Helper()
	enumeration := Enumeration{Scenario: scenario, Managers: managers, Share: share(t).thinned(thinnings[scenario.Name])}
	enumeration.Run = func(plan Plan) Outcome {
		outcome := runPlan(t, scheme, plan, tally)
		if len(outcome.Violations) > 0 {
			t.Errorf("%s: %s", plan, outcome.Violations)
		}
		return outcome
	}
	enumeration.RunAll()
	if enumeration.broken >= maxViolations {
		t.Errorf("after %d broken plans no more of %s were tried", maxViolations, scenario.Name)
	}
	tally.LeftOut = enumeration.leftOut
}
