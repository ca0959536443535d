// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"math"
	"os"
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

// share returns how much is tried, depending on PROVE: a small part if unset, or a larger one if
// all tests run at full size; `make prove` sets most; all leaves nothing out; alone, as `make
// mutants` sets it, tries no pairs. PROVE_SEED selects other combinations.
func share(tb testing.TB) Share {
	tb.Helper()
	word := os.Getenv("PROVE")
	share, known := map[string]Share{
		"":      even(world.Scale(997, 97), world.Scale(7, 2)),
		"alone": even(math.MaxInt, 1),
		"most":  {Faults: 2, Looks: 24, Acts: 8, People: 8, Orders: 1, Alone: 1},
		"all":   even(1, 1),
	}[word]
	if !known {
		tb.Fatalf("PROVE=%s: it is most, all, alone, or not set", word)
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

// even returns the same share of everything except single acts.
func even(of, alone int) Share {
	return Share{Faults: of, Looks: of, Acts: of, People: of, Orders: of, Alone: alone}
}

func stage(tb testing.TB) *runtime.Scheme {
	tb.Helper()
	gomega.RegisterFailHandler(func(message string, _ ...int) { panic(message) })
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard()) // every crash in a retried write is logged with its stack
	rememberVerified()
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(v1alpha1.AddToScheme(scheme))
	return scheme
}

// carryOut runs a plan in a synctest bubble of its own.
func carryOut(t *testing.T, scheme *runtime.Scheme, plan Plan, tally *Tally) (left Outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t.Context(), scheme, plan)
		r.play(t.Context())
		tally.note(r)
		left = r.outcome()
	})
	return left
}

// TestProve runs every scenario with every plan, and prints the results by operation.
func TestProve(t *testing.T) {
	t.Parallel()
	scheme := stage(t)
	var mu sync.Mutex
	var total Tally
	t.Cleanup(func() {
		t.Logf("prove: %-26s %s", "all operations", total.String())
		judge(t, &total)
	})
	for _, scenario := range Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			tallies := []*Tally{{}, {}}
			t.Cleanup(func() {
				whole := ofScenario(tallies)
				t.Logf("prove: %-26s %s", scenario.Name, whole.String())
				mu.Lock()
				defer mu.Unlock()
				total.Add(whole)
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

// The required figures. They apply in full if PROVE is most.
const (
	leastPlans   = 300_000
	leastStale   = 3_300
	mostNeedless = 12 // of a hundred crashes
)

// judge compares the totals of all operations with the required figures.
func judge(t *testing.T, total *Tally) {
	t.Helper()
	if total.Alarms > 0 {
		t.Errorf("%d plans with a clean error called for a person in vain", total.Alarms)
	}
	if total.scenarios < len(Scenarios()) {
		return // the other figures are about all operations
	}
	if total.Needless*100 > total.Crashes*mostNeedless {
		t.Errorf("%d of %d crashes called for a person in vain", total.Needless, total.Crashes)
	}
	if share(t).Faults <= 2 && (total.Plans() < leastPlans || total.Stale < leastStale) {
		t.Errorf("only %d plans, %d of them stale or unobserved, were tried", total.Plans(), total.Stale)
	}
}

func enumerate(t *testing.T, scheme *runtime.Scheme, scenario *Scenario, managers int, tally *Tally) {
	t.Helper()
	enumeration := Enumeration{Scenario: scenario, Managers: managers, Share: share(t), Play: func(plan Plan) Outcome {
		left := carryOut(t, scheme, plan, tally)
		if len(left.Broken) > 0 {
			t.Errorf("%s: %s", plan, left.Broken)
		}
		return left
	}}
	enumeration.All()
	if enumeration.broken >= mostBroken {
		t.Errorf("after %d broken plans no more of %s were tried", mostBroken, scenario.Name)
	}
	tally.Left = enumeration.left
}
