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

// simulationResult is the result of a simulation.
type simulationResult struct {
	tally      *SimulationTally
	hash       string
	violations []string
	lines      []string
}

// runSeed runs the simulation of a seed in a synctest bubble of its own.
func runSeed(t *testing.T, scheme *apiruntime.Scheme, seed uint64, traced bool) (result simulationResult) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newSimulation(t.Context(), scheme, seed, traced)
		defer func() {
			result.lines = l.lines
			if cause := recover(); cause != nil {
				result.violations = append(result.violations, fmt.Sprintf("the simulation itself: %v", cause))
				newest := l.lines[max(0, len(l.lines)-200):] // if the run is printed
				panic(fmt.Sprintf("SIM_SEED=%d: %v\n%s", seed, cause, strings.Join(newest, "\n")))
			}
		}()
		l.execute()
		l.tally.Seeds, l.tally.Effects, l.tally.Fewest, l.tally.Time = 1, l.effects, l.effects, now().Sub(beginning)
		if len(l.violations) > 0 {
			l.tally.Violated = 1
		}
		result = simulationResult{l.tally, hex.EncodeToString(l.trace.Sum(nil)), l.violations, l.lines}
	})
	return result
}

// seedsWanted returns the number of simulations, which `make simulate` sets with SEEDS.
func seedsWanted(t *testing.T) uint64 {
	t.Helper()
	usual := world.Scale[uint64](15, 100)
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
	scheme := setUp(t)
	if text := os.Getenv("SIM_SEED"); text != "" {
		rerun(t, scheme, text)
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
		checkSimulationFigures(t, total)
	})
	for range runtime.GOMAXPROCS(0) {
		t.Run("worker", func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				result := checkSeed(t, scheme, seed)
				mu.Lock()
				total.Add(result.tally)
				mu.Unlock()
			}
		})
	}
}

// checkSimulationFigures compares the counts of all seeds with the required figures.
func checkSimulationFigures(t *testing.T, total *SimulationTally) {
	t.Helper()
	const leastEffects, manySeeds, leastTime = 200, 10_000, 20 * 8766 * time.Hour
	if total.Fewest < leastEffects {
		t.Errorf("a simulation had %d effects", total.Fewest)
	}
	if total.Seeds >= manySeeds && total.Time < leastTime {
		t.Errorf("all simulations together lasted %s", total.Time)
	}
	const someSeeds = 100
	for _, what := range []string{refusedAsBusy, sentAsApproved, followedToEnd} {
		if total.Seeds >= someSeeds && total.Actions[what] == 0 {
			t.Errorf("in none of %d simulations %s", total.Seeds, what)
		}
	}
}

// checkSeed runs one simulation. For some seeds it runs the simulation twice to compare the traces.
func checkSeed(t *testing.T, scheme *apiruntime.Scheme, seed uint64) simulationResult {
	t.Helper()
	result := runSeed(t, scheme, seed, false)
	if len(result.violations) > 0 {
		t.Errorf("SIM_SEED=%d go test -v -run '^TestSimulation$' ./test/prove: %s",
			seed, strings.Join(result.violations, "\n\t"))
	}
	const compared, often = 100, 20 // a hundred of many seeds, or one in twenty of few
	if seed%max(often, seedsWanted(t)/compared) == 0 {
		if second := runSeed(t, scheme, seed, false); second.hash != result.hash {
			t.Errorf("SIM_SEED=%d has another trace when it is run twice", seed)
		}
	}
	return result
}

// rerun runs one simulation and prints it line by line.
func rerun(t *testing.T, scheme *apiruntime.Scheme, text string) {
	t.Helper()
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SIM_SEED: %v", err)
	}
	result := runSeed(t, scheme, seed, true)
	for _, line := range result.lines {
		t.Log(line)
	}
	if second := runSeed(t, scheme, seed, true); second.hash != result.hash {
		t.Errorf("it has another trace when it is run twice: %s", firstDifference(result.lines, second.lines))
	}
	t.Logf("trace %s, %s", result.hash, result.tally)
	if len(result.violations) > 0 {
		t.Error(strings.Join(result.violations, "\n\t"))
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
