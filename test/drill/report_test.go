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
	endings  map[ending]int
	changes  int
	posts    int
	accepted int // those that the carrier knows
	maxPosts int // the most POSTs of one chargeable change
}

// tallyOf sums up the results of some changes.
func tallyOf(findings []finding) *tally {
	t := &tally{endings: make(map[ending]int), changes: len(findings)}
	for _, f := range findings {
		t.endings[f.ending]++
		t.posts += f.sent
		t.accepted += f.accepted
		if f.change.kind.isSentOnce() {
			t.maxPosts = max(t.maxPosts, f.sent)
		}
	}
	return t
}

// count counts the changes for which something is true.
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
	return fmt.Sprintf("%d changes: %s; %d POSTs, %d known to the carrier, at most %d of a chargeable one",
		t.changes, strings.Join(ended, ", "), t.posts, t.accepted, t.maxPosts)
}

// report prints the results of the changes by fault.
func (d *drill) report(findings [][]finding) {
	total := 0
	for _, fault := range faults() {
		times, counted := d.faultTimes(fault.name)
		total += times
		line := fmt.Sprintf("%-38s %3d times, %s", fault.name, times, tallyOf(d.of(fault.name, findings)))
		if more := fault.details(counted); more != "" {
			line += "; " + more
		}
		world.Figuresf("%s", line)
	}
	all := slices.Concat(findings...)
	isUnsent := func(f finding) bool { return f.ending == unknown && f.sent == 0 }
	world.Figuresf("%-38s %3d times, %s", "all", total, tallyOf(all))
	without, with := d.compared(findings)
	world.Figuresf("changes that a description can prove, without ServiceRead: %s", tallyOf(without))
	world.Figuresf("changes that a description can prove, with ServiceRead: %s", tallyOf(with))
	world.Figuresf("%d lost, %d sent twice; of those OutcomeUnknown %d were never sent",
		count(all, finding.isLost), count(all, finding.isSentTwice), count(all, isUnsent))
}

// of returns the findings in the lanes of a fault.
func (d *drill) of(fault string, findings [][]finding) []finding {
	var found []finding
	for i, l := range d.lanes {
		if l.fault == fault {
			found = append(found, findings[i]...)
		}
	}
	return found
}
