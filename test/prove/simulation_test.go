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

// simulated is the result of a simulation.
type simulated struct {
	tally  *SimulationTally
	hash   string
	broken []string
	told   []string
}

// live runs the simulation of a seed in a synctest bubble of its own.
func live(t *testing.T, scheme *apiruntime.Scheme, seed uint64, watched bool) (left simulated) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newSimulation(t.Context(), scheme, seed, watched)
		defer func() {
			left.told = l.told
			if cause := recover(); cause != nil {
				left.broken = append(left.broken, fmt.Sprintf("the simulation itself: %v", cause))
				lately := l.told[max(0, len(l.told)-200):] // if the run is printed
				panic(fmt.Sprintf("SIM_SEED=%d: %v\n%s", seed, cause, strings.Join(lately, "\n")))
			}
		}()
		l.play()
		l.tally.Seeds, l.tally.Effects, l.tally.Fewest, l.tally.Time = 1, l.effects, l.effects, now().Sub(beginning)
		if len(l.broken) > 0 {
			l.tally.Violated = 1
		}
		left = simulated{l.tally, hex.EncodeToString(l.trace.Sum(nil)), l.broken, l.told}
	})
	return left
}

// seedsWanted returns the number of simulations: `make simulate` sets it with SEEDS.
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

// TestSimulation runs the simulations of many seeds, and prints the results.
func TestSimulation(t *testing.T) {
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
	total := newSimulationTally()
	var mu sync.Mutex
	t.Cleanup(func() {
		t.Logf("simulate: %s", total)
		judgeSimulation(t, total)
	})
	for range runtime.GOMAXPROCS(0) {
		t.Run("worker", func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				left := runSeed(t, scheme, seed)
				mu.Lock()
				total.Add(left.tally)
				mu.Unlock()
			}
		})
	}
}

// judgeSimulation compares the counts of all seeds with the required figures.
func judgeSimulation(t *testing.T, total *SimulationTally) {
	t.Helper()
	const leastEffects, manySeeds, leastTime = 200, 10_000, 20 * 8766 * time.Hour
	if total.Fewest < leastEffects {
		t.Errorf("a simulation had %d effects", total.Fewest)
	}
	if total.Seeds >= manySeeds && total.Time < leastTime {
		t.Errorf("all lives together lasted %s", total.Time)
	}
}

// runSeed runs a simulation, and runs some of them twice to compare the traces.
func runSeed(t *testing.T, scheme *apiruntime.Scheme, seed uint64) simulated {
	t.Helper()
	left := live(t, scheme, seed, false)
	if len(left.broken) > 0 {
		t.Errorf("SIM_SEED=%d go test -v -run '^TestSimulation$' ./test/prove: %s", seed, strings.Join(left.broken, "\n\t"))
	}
	const compared, often = 100, 20 // of many seeds a hundred, of few one in twenty
	if seed%max(often, seedsWanted(t)/compared) == 0 {
		if second := live(t, scheme, seed, false); second.hash != left.hash {
			t.Errorf("SIM_SEED=%d is not the same when it is told twice", seed)
		}
	}
	return left
}

// again runs one simulation and prints it line by line.
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
