// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"time"
)

// enough is the number of layers that must detect a mutant.
const enough = 2

// report prints the table of results and counts the killed mutants.
func report(out io.Writer, tried <-chan trial) (killed, total int) {
	for t := range tried {
		total++
		if t.killed() {
			killed++
		}
		t.show(out)
	}
	printf(out, "%d of %d mutants killed, each by at least two layers\n", killed, total)
	return killed, total
}

// killed reports whether every listed layer detected the mutant, and whether these are enough.
func (t trial) killed() bool {
	return t.err == nil && t.killers() >= enough && t.killers() == len(t.verdicts)
}

// show prints a mutant and the verdicts of its layers.
func (t trial) show(out io.Writer) {
	var duration time.Duration
	for _, v := range t.verdicts {
		duration += v.duration
	}
	result := "killed"
	if !t.killed() {
		result = "SURVIVES"
	}
	printf(out, "%2d  %-8s %6.1f s  %s\n", t.mutant.number, result, duration.Seconds(), t.mutant.Breaks)
	for _, v := range t.verdicts {
		printf(out, "    %-11s  %5.1f s  %s\n", v.layer, v.duration.Seconds(), cmp.Or(v.by, "NOT DETECTED"))
	}
	if t.err != nil {
		printf(out, "    %v\n", t.err)
	}
}

// printf writes to the screen.
func printf(out io.Writer, format string, args ...any) {
	fmt.Fprintf(out, format, args...) //nolint:errcheck // there is nowhere to report the error
}
