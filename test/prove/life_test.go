// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/test/world"
)

// lived is what is left of a life.
type lived struct {
	tally  *LifeTally
	hash   string
	broken []string
	told   []string
}

// live tells the life of a seed in a bubble of its own.
func live(t *testing.T, scheme *apiruntime.Scheme, seed uint64, watched bool) (left lived) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t.Context(), scheme, seed, watched)
		defer func() {
			left.told = l.told
			if cause := recover(); cause != nil {
				left.broken = append(left.broken, fmt.Sprintf("the simulation itself: %v", cause))
				lately := l.told[max(0, len(l.told)-200):] // of a seed that is told line by line
				panic(fmt.Sprintf("SIM_SEED=%d: %v\n%s", seed, cause, strings.Join(lately, "\n")))
			}
		}()
		l.play()
		l.tally.Seeds, l.tally.Effects, l.tally.Fewest, l.tally.Time = 1, l.effects, l.effects, now().Sub(beginning)
		if len(l.broken) > 0 {
			l.tally.Violated = 1
		}
		left = lived{l.tally, hex.EncodeToString(l.trace.Sum(nil)), l.broken, l.told}
	})
	return left
}

// seedsWanted is how many lives are told: `make simulate` says how many with SEEDS.
func seedsWanted(t *testing.T) uint64 {
	t.Helper()
	usual := world.Scale[uint64](25, 100)
	text := os.Getenv("SEEDS")
	if text == "" {
		return usual
	}
	count, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("SEEDS: %v", err)
	}
	return count
}

// TestLives tells the lives of many seeds, and prints what came of them.
func TestLives(t *testing.T) {
	t.Parallel()
	scheme := stage(t)
	if text := os.Getenv("SIM_SEED"); text != "" {
		again(t, scheme, text)
		return
	}
	seeds, wanted := make(chan uint64), seedsWanted(t)
	go func() {
		for seed := range wanted {
			seeds <- seed + 1
		}
		close(seeds)
	}()
	total := newLifeTally()
	var mu sync.Mutex
	t.Cleanup(func() {
		t.Logf("simulate: %s", total)
		judgeLives(t, total)
	})
	for range runtime.GOMAXPROCS(0) {
		t.Run("worker", func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				left := tellSeed(t, scheme, seed)
				mu.Lock()
				total.Add(left.tally)
				mu.Unlock()
			}
		})
	}
}

// judgeLives holds the counts of all seeds against what must be met.
func judgeLives(t *testing.T, total *LifeTally) {
	t.Helper()
	const leastEffects, manySeeds, leastTime = 200, 10_000, 20 * 8766 * time.Hour
	if total.Fewest < leastEffects {
		t.Errorf("a life had %d effects", total.Fewest)
	}
	if total.Seeds >= manySeeds && total.Time < leastTime {
		t.Errorf("all lives together lasted %s", total.Time)
	}
}

// tellSeed tells a life, and some of them twice, to compare.
func tellSeed(t *testing.T, scheme *apiruntime.Scheme, seed uint64) lived {
	t.Helper()
	left := live(t, scheme, seed, false)
	if len(left.broken) > 0 {
		t.Errorf("SIM_SEED=%d go test -v -run '^TestLives$' ./test/prove: %s", seed, strings.Join(left.broken, "\n\t"))
	}
	const compared, often = 100, 20 // of many seeds a hundred, of few one in twenty
	if seed%max(often, seedsWanted(t)/compared) == 0 {
		if second := live(t, scheme, seed, false); second.hash != left.hash {
			t.Errorf("SIM_SEED=%d is not the same when it is told twice", seed)
		}
	}
	return left
}

// again tells one life, line by line.
func again(t *testing.T, scheme *apiruntime.Scheme, text string) {
	t.Helper()
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SIM_SEED: %v", err)
	}
	left := live(t, scheme, seed, true)
	for _, line := range left.told {
		t.Log(line)
	}
	if second := live(t, scheme, seed, true); second.hash != left.hash {
		t.Errorf("it is not the same when it is told twice: %s", firstDifference(left.told, second.told))
	}
	t.Logf("trace %s, %s", left.hash, left.tally)
	if len(left.broken) > 0 {
		t.Error(strings.Join(left.broken, "\n\t"))
	}
}

func firstDifference(one, other []string) string {
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return one[i] + "\nand\n" + other[i]
		}
	}
	return "one is longer"
}
