// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// SimulationTally counts what happened in the simulations of many seeds.
type SimulationTally struct {
	Seeds    int
	Effects  int
	Fewest   int // effects of one seed
	Time     time.Duration
	Posts    map[string]int // by operation, all that were sent
	Accepted map[string]int // by operation, those that the carrier accepted
	Faults   map[string]int
	Actions  map[string]int
	Ends     map[string]map[string]int // by kind of object and how it ended
	Violated int
}

func newSimulationTally() *SimulationTally {
	return &SimulationTally{
		Posts: map[string]int{}, Accepted: map[string]int{}, Faults: map[string]int{}, Actions: map[string]int{},
		Ends: map[string]map[string]int{},
	}
}

func (t *SimulationTally) countPost(one *post) {
	t.Posts[string(one.operation)]++
	if one.accepted {
		t.Accepted[string(one.operation)]++
	}
}

func (t *SimulationTally) countEnd(kind, how string) {
	if t.Ends[kind] == nil {
		t.Ends[kind] = map[string]int{}
	}
	t.Ends[kind][how]++
}

// Add adds the counts of a seed.
func (t *SimulationTally) Add(other *SimulationTally) {
	if t.Seeds == 0 || other.Fewest < t.Fewest {
		t.Fewest = other.Fewest
	}
	t.Seeds += other.Seeds
	t.Effects += other.Effects
	t.Time += other.Time
	t.Violated += other.Violated
	for _, pair := range [][2]map[string]int{
		{t.Posts, other.Posts}, {t.Accepted, other.Accepted}, {t.Faults, other.Faults}, {t.Actions, other.Actions},
	} {
		addCounts(pair[0], pair[1])
	}
	for kind, ends := range other.Ends {
		if t.Ends[kind] == nil {
			t.Ends[kind] = map[string]int{}
		}
		addCounts(t.Ends[kind], ends)
	}
}

func addCounts(into, from map[string]int) {
	for name, count := range from {
		into[name] += count
	}
}

// String returns the report.
func (t *SimulationTally) String() string {
	var out strings.Builder
	const year = 365.25 * 24 * float64(time.Hour)
	fmt.Fprintf(&out, "%d seeds, %.2f virtual years, %d effects (at least %d in a seed), %d violations\n",
		t.Seeds, float64(t.Time)/year, t.Effects, t.Fewest, t.Violated)
	fmt.Fprintf(&out, "  POSTs (accepted):")
	for _, name := range slices.Sorted(maps.Keys(t.Posts)) {
		fmt.Fprintf(&out, " %s %d (%d),", name, t.Posts[name], t.Accepted[name])
	}
	fmt.Fprintf(&out, "\n  faults: %s\n  actions: %s", list(t.Faults), list(t.Actions))
	for _, kind := range slices.Sorted(maps.Keys(t.Ends)) {
		fmt.Fprintf(&out, "\n  %s ended: %s", kind, list(t.Ends[kind]))
	}
	return out.String()
}

func list(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
