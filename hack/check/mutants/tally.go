// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// share is the percentage of drawn mutants that must be killed.
const share = 95

var (
	errShare    = errors.New("too few mutants are killed: add tests, remove dead code, or explain it in survivors.yaml")
	errStale    = errors.New("survivors.yaml explains mutants that are killed: remove them there")
	errNotTried = errors.New("mutants could not be tried")
)

// tally is the result of a draw.
type tally struct {
	accepted []survivor

	killed    int
	survived  []result
	explained []result
	stale     []result // explained in survivors.yaml, but killed
	notTried  int
}

// add counts the result for one mutant.
func (t *tally) add(f result) {
	known := t.explanation(f) != nil
	switch {
	case f.err != nil:
		t.notTried++
	case f.by != "":
		t.killed++
		if known {
			t.stale = append(t.stale, f)
		}
	case known:
		t.explained = append(t.explained, f)
	default:
		t.survived = append(t.survived, f)
	}
}

// explanation returns the entry of survivors.yaml for a mutant, nil if there is none.
func (t *tally) explanation(f result) *survivor {
	i := slices.IndexFunc(t.accepted, func(s survivor) bool { return s.explains(f.mutant.site) })
	if i < 0 {
		return nil
	}
	return &t.accepted[i]
}

// counted returns the number of mutants that tests should kill.
func (t *tally) counted() int { return t.killed + len(t.survived) }

// verdict fails unless all mutants were tried, enough were killed, and no killed one is explained.
func (t *tally) verdict() error {
	switch {
	case t.notTried > 0:
		return fmt.Errorf("%d %w", t.notTried, errNotTried)
	case len(t.stale) > 0:
		return errStale
	case t.killed*100 < share*t.counted():
		return errShare
	}
	return nil
}

// show prints a mutant.
func (f result) show(out io.Writer) {
	outcome, by := "killed", f.layer+": "+f.by
	switch {
	case f.err != nil:
		outcome, by = "NOT TRIED", f.err.Error()
	case f.by == "":
		outcome, by = "SURVIVES", f.layer+": not detected"
	}
	printf(out, "%3d  %-9s %6.1f s  %s\n     %s\n", f.mutant.number, outcome, f.duration.Seconds(), f.mutant.place(), by)
}

// place returns the location of a mutant and the operator that made it.
func (s site) place() string { return fmt.Sprintf("%s:%d %s", s.file, s.line, s.operator) }

// show prints the percentage of killed mutants, and the survivors.
func (t *tally) show(out io.Writer, seed uint64) {
	t.list(out, "survives", t.survived)
	t.list(out, "survives, and is explained", t.explained)
	t.list(out, "is killed, although survivors.yaml explains it", t.stale)
	percent := 100.0
	if t.counted() > 0 {
		percent *= float64(t.killed) / float64(t.counted())
	}
	printf(out, "seed %d: %d of %d drawn mutants killed, %.1f %% (at least %d %%); %d more survive and are explained\n",
		seed, t.killed, t.counted(), percent, share, len(t.explained))
}

// list prints mutants in the format of survivors.yaml.
func (t *tally) list(out io.Writer, title string, all []result) {
	for _, f := range all {
		m := f.mutant
		printf(out, "%s: %d, %s:%d\n", title, m.number, m.file, m.line)
		printf(out, "- function: %s\n  operator: %s\n  line: %q\n", m.function, m.operator, m.shown)
		if known := t.explanation(f); known != nil {
			printf(out, "  why: %s\n", known.Why)
		}
	}
}
