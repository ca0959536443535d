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

// share is how much is tried, by PROVE: without it a small part, or a larger one where all tests
// run at full size; `make prove` sets most; all leaves nothing out; alone, as `make mutants` sets it,
// tries no pairs. PROVE_SEED chooses other ones.
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

// even is the same share of everything but of what somebody does alone.
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

// carryOut plays a plan in a bubble of its own.
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

// TestProve tells every story by every plan, and prints what came of it by operation.
func TestProve(t *testing.T) {
	t.Parallel()
	scheme := stage(t)
	var mu sync.Mutex
	var total Tally
	t.Cleanup(func() {
		t.Logf("prove: %-26s %s", "all operations", total.String())
		judge(t, &total)
	})
	for _, story := range Stories() {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			tallies := []*Tally{{}, {}}
			t.Cleanup(func() {
				whole := ofStory(tallies)
				t.Logf("prove: %-26s %s", story.Name, whole.String())
				mu.Lock()
				defer mu.Unlock()
				total.Add(whole)
			})
			for i, tally := range tallies {
				t.Run(fmt.Sprintf("managers=%d", i+1), func(t *testing.T) {
					t.Parallel()
					enumerate(t, scheme, story, i+1, tally)
				})
			}
		})
	}
}

// The figures that must be met: in full where most is tried.
const (
	leastPlans   = 300_000
	leastStale   = 3_300
	mostNeedless = 12 // of a hundred crashes
)

// judge holds the counts of all operations against what must be met.
func judge(t *testing.T, total *Tally) {
	t.Helper()
	if total.Alarms > 0 {
		t.Errorf("%d plans with a clean error called for a person in vain", total.Alarms)
	}
	if total.stories < len(Stories()) {
		return // the rest speaks of all of them
	}
	if total.Needless*100 > total.Crashes*mostNeedless {
		t.Errorf("%d of %d crashes called for a person in vain", total.Needless, total.Crashes)
	}
	if share(t).Faults <= 2 && (total.Plans() < leastPlans || total.Stale < leastStale) {
		t.Errorf("only %d plans, %d of them stale or unobserved, were tried", total.Plans(), total.Stale)
	}
}

func enumerate(t *testing.T, scheme *runtime.Scheme, story *Story, managers int, tally *Tally) {
	t.Helper()
	enumeration := Enumeration{Story: story, Managers: managers, Share: share(t), Play: func(plan Plan) Outcome {
		left := carryOut(t, scheme, plan, tally)
		if len(left.Broken) > 0 {
			t.Errorf("%s: %s", plan, left.Broken)
		}
		return left
	}}
	enumeration.All()
	if enumeration.broken >= mostBroken {
		t.Errorf("after %d broken plans no more of %s were tried", mostBroken, story.Name)
	}
	tally.Left = enumeration.left
}
