// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
)

// Tally counts the results of an operation's fault plans.
type Tally struct {
	Effects  int // of the scenario without faults
	Faults   int // plans with one or two faults
	Stale    int // plans with a stale, skipped or repeated observation
	Mixed    int // plans with such an observation and a fault or an action
	Actions  int // plans with actions of other actors
	Orders   int // plans in which two managers are stopped in favor of each other
	LeftOut  int // plans that were left out
	Crashes  int // plans with one crash
	Unknown  int // of these, those that ended unknown
	Needless int // of these, those that ended unknown although the carrier had accepted nothing
	Alarms   int // plans with only clean errors that needlessly ended unknown
	Violated int

	scenarios int // that were run completely
}

// Plans returns the number of all plans.
func (t *Tally) Plans() int { return t.Faults + t.Stale + t.Mixed + t.Actions + t.Orders }

// Add adds the counts of another tally.
func (t *Tally) Add(other Tally) {
	t.Effects += other.Effects
	t.Faults += other.Faults
	t.Stale += other.Stale
	t.Mixed += other.Mixed
	t.Actions += other.Actions
	t.Orders += other.Orders
	t.LeftOut += other.LeftOut
	t.Crashes += other.Crashes
	t.Unknown += other.Unknown
	t.Needless += other.Needless
	t.Alarms += other.Alarms
	t.Violated += other.Violated
	t.scenarios += other.scenarios
}

// ofScenario sums up a scenario that was run with one manager and with more.
func ofScenario(parts []*Tally) Tally {
	var whole Tally
	for _, part := range parts {
		whole.Add(*part)
		whole.Effects = part.Effects
	}
	whole.scenarios = 1
	return whole
}

// String returns a line of the report.
func (t *Tally) String() string {
	return fmt.Sprintf("%4d effects, %6d plans: %6d with faults, %5d stale or unobserved, %5d mixed, %6d with actions, "+
		"%5d orders, %d violations, %d left out; needless unknowns: %d of %d crashes, %d of clean errors",
		t.Effects, t.Plans(), t.Faults, t.Stale, t.Mixed, t.Actions, t.Orders,
		t.Violated, t.LeftOut, t.Needless, t.Crashes, t.Alarms)
}

// note counts a plan that was carried out.
func (t *Tally) note(r *run) {
	faults := r.plan.Faults
	isStale := func(f Fault) bool { return f.Kind.isStaleRead() }
	isOther := func(f Fault) bool { return !f.Kind.isStaleRead() }
	switch {
	case len(faults) == 0:
		t.Effects = len(r.effects)
	case slices.ContainsFunc(faults, isStale) && slices.ContainsFunc(faults, isOther):
		t.Mixed++
	case isStale(faults[0]):
		t.Stale++
	case faults[0].Kind == Preempted:
		t.Orders++
	case slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind.isAction() }):
		t.Actions++
	default:
		t.Faults++
		t.noteUnknown(r, faults)
	}
	if len(r.violations) > 0 {
		t.Violated++
	}
}

// noteUnknown counts crashes, crashes that ended unknown, and false alarms: outcomes that a person
// was asked to resolve without need.
func (t *Tally) noteUnknown(r *run, faults []Fault) {
	needless := r.endedUnknown && !r.endedAccepted
	crashed := slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind.isCrash() })
	if crashed && len(faults) == 1 {
		t.Crashes++
		if r.endedUnknown {
			t.Unknown++
		}
		if needless {
			t.Needless++
		}
	}
	clean := func(f Fault) bool { return f.At > 0 && f.Kind.isCleanError(r.effects[f.At-1].Op) }
	if needless && !slices.ContainsFunc(faults, func(f Fault) bool { return !clean(f) }) {
		t.Alarms++
	}
}
