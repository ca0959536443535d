// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/test/world"
)

// tally sums up findings.
type tally struct {
	endings map[ending]int
	changes int
	posts   int
	taken   int // those that the carrier knows
	most    int // POSTs of one chargeable errand
}

// tallied sums up the results of some errands.
func tallied(findings []finding) *tally {
	t := &tally{endings: make(map[ending]int), changes: len(findings)}
	for _, f := range findings {
		t.endings[f.ending]++
		t.posts += f.sent
		t.taken += f.taken
		if f.errand.sort.once() {
			t.most = max(t.most, f.sent)
		}
	}
	return t
}

// count counts the errands for which something is true.
func count(findings []finding, is func(finding) bool) int {
	return len(slices.DeleteFunc(slices.Clone(findings), func(f finding) bool { return !is(f) }))
}

// String returns a line of the report.
func (t *tally) String() string {
	var ended []string
	for _, e := range endings() {
		if t.endings[e] > 0 {
			ended = append(ended, fmt.Sprintf("%d %s", t.endings[e], e))
		}
	}
	return fmt.Sprintf("%d changes: %s; %d POSTs, %d known to the carrier, at most %d of one that costs",
		t.changes, strings.Join(ended, ", "), t.posts, t.taken, t.most)
}

// report prints the results of the errands by fault.
func (d *drill) report(findings [][]finding) {
	total := 0
	for _, trouble := range troubles() {
		times, counted := d.struck(trouble.name)
		total += times
		line := fmt.Sprintf("%-38s %3d times, %s", trouble.name, times, tallied(d.of(trouble.name, findings)))
		if more := trouble.shows(counted); more != "" {
			line += "; " + more
		}
		world.Figuresf("%s", line)
	}
	all := slices.Concat(findings...)
	isUnsent := func(f finding) bool { return f.ending == unknown && f.sent == 0 }
	world.Figuresf("%-38s %3d times, %s", "altogether", total, tallied(all))
	world.Figuresf("%d lost, %d sent twice; of those OutcomeUnknown %d were never sent",
		count(all, finding.lost), count(all, finding.sentTwice), count(all, isUnsent))
}

// of returns the findings in the lanes of a fault.
func (d *drill) of(trouble string, findings [][]finding) []finding {
	var found []finding
	for i, l := range d.lanes {
		if l.trouble == trouble {
			found = append(found, findings[i]...)
		}
	}
	return found
}
