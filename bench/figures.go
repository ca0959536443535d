// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// row is a figure with a goal: a value of each contestant, and what of them is judged.
type row struct {
	scenario, figure string
	of               func(*result) float64
	judged           judgement
	goal             float64 // math.NaN() if there is none
}

// judgement is what is compared with the goal.
type judgement string

// The judgements.
const (
	most     judgement = "≤" // the operator's value is at most the goal
	perLimit judgement = "operator / limit ≤"
	perNaive judgement = "naive / operator ≥"
)

// rows are the figures of the page, in its order.
func rows() []row {
	return []row{
		{burst, "last change done, s", took, perLimit, 1.5},
		{limited, "last change done, s", took, perLimit, 1.15},
		{burst, "edit to POST, median, s", postedQuantile(0.5), most, math.NaN()},
		{burst, "edit to POST, p99, s", postedQuantile(0.99), most, math.NaN()},
		{busy, "edit to POST: p99 while busy / median while idle", busyRatio, most, 5},
		{slow, "polls per plan change", perRequest(simulator.OpPlanChange), most, 2.6},
		{slow, "a plan change is noticed late by, mean, s", lateness(simulator.OpPlanChange), most, 6},
		{burst, "polls per plan change", perRequest(simulator.OpPlanChange), most, 1.3},
		{burst, "a plan change is noticed late by, mean, s", lateness(simulator.OpPlanChange), most, 1},
		{burst, "health requests per change", posts(simulator.OpHealth), most, 1},
		{burst, "polls per health request", perRequest(simulator.OpHealth), most, 1.3},
		{burst, "requests of the options per change, whose price matters", posts(simulator.OpPlanOptions), most, 1},
		{slow, "requests of the options per change, whose price does not matter", posts(simulator.OpPlanOptions), most, 0},
		{burst, "calls per change", calls, most, math.NaN()},
		{burst, "writes per change", writes, most, 5},
		{burst, "Events per change", eventsPerChange, most, 2},
		{burst, "refused writes per change", refusedWrites, most, 0},
		{idle, "calls and writes", callsAndWrites, most, 0},
		{idle, "memory at most, MiB", memory, most, math.NaN()},
		{inFlight, "polls per request, of a process that starts", pollsPerChange, most, 1},
		{inFlight, "POSTs and writes of a process that starts", postsAndWrites, most, 0},
		{lost, "plan change POSTs per change", posts(simulator.OpPlanChange), most, 1},
		{lost, "the others are sent after the last loss within, s", sentAfterLoss, most, 30},
		{kills, "plan changes carried out twice", duplicates, most, 0},
		{kills, "health requests per change", posts(simulator.OpHealth), most, math.NaN()},
		{slow, "calls per change", calls, perNaive, 2.5},
		{slow, "writes per change", writes, perNaive, 3},
		{slow, "CPU time of etcd and kube-apiserver per change, ms", planeCPU, perNaive, 2},
		{slow, "CPU time of the contestant per change, ms", ownCPU, perNaive, math.NaN()},
	}
}

func took(r *result) float64            { return r.took.Seconds() }
func calls(r *result) float64           { return ratio(r.traffic.calls(), r.changes) }
func writes(r *result) float64          { return ratio(sum(r.writes), r.changes) }
func eventsPerChange(r *result) float64 { return ratio(r.events, r.changes) }
func refusedWrites(r *result) float64   { return ratio(r.refused, r.changes) }
func callsAndWrites(r *result) float64  { return float64(r.traffic.calls() + sum(r.writes) + r.events) }

func postsAndWrites(r *result) float64 {
	return float64(sum(r.traffic.posts) + sum(r.writes) + r.events)
}
func pollsPerChange(r *result) float64 { return ratio(sum(r.traffic.polls), r.changes) }
func duplicates(r *result) float64     { return float64(r.traffic.duplicates()) }
func memory(r *result) float64         { const mebi = 1 << 20; return float64(r.own.most) / mebi }
func planeCPU(r *result) float64       { return milliseconds(r.plane, r.changes) }
func ownCPU(r *result) float64         { return milliseconds(r.own, r.changes) }

func milliseconds(of usage, changes int) float64 { return ratio(of.seconds*1000, float64(changes)) }

func postedQuantile(share float64) func(*result) float64 {
	return func(r *result) float64 { return quantile(r.posted, share).Seconds() }
}

// busyRatio compares the first half of the edits, which were made while nothing else happened, with
// the second.
func busyRatio(r *result) float64 {
	half := len(r.posted) / 2
	return ratio(quantile(r.posted[half:], 0.99), quantile(r.posted[:half], 0.5))
}

func perRequest(operation simulator.Operation) func(*result) float64 {
	return func(r *result) float64 { return ratio(r.traffic.polls[operation], r.traffic.posts[operation]) }
}

func posts(operation simulator.Operation) func(*result) float64 {
	return func(r *result) float64 { return ratio(r.traffic.posts[operation], r.changes) }
}

func lateness(operation simulator.Operation) func(*result) float64 {
	return func(r *result) float64 { return mean(r.traffic.lateness[operation]).Seconds() }
}

// sentAfterLoss returns how long after the last lost response the last plan change was sent for the
// first time.
func sentAfterLoss(r *result) float64 {
	var latest time.Duration
	for _, at := range r.traffic.posted {
		latest = max(latest, at.Sub(r.traffic.lastLost))
	}
	return latest.Seconds()
}

// figure is a row with its values.
type figure struct {
	Scenario, Figure, Product, Naive, Limit, Goal, Judged, Met string
}

// figures returns the rows of the scenarios that were run.
func figures(results []result) []figure {
	var found []figure
	for _, one := range rows() {
		values := map[string]float64{}
		for i := range results {
			if results[i].scenario == one.scenario {
				values[results[i].contestant] = one.of(&results[i])
			}
		}
		if len(values) > 0 {
			found = append(found, one.judge(values))
		}
	}
	return found
}

func (r row) judge(values map[string]float64) figure {
	shown := func(contestant string) string {
		if value, measured := values[contestant]; measured {
			return number(value)
		}
		return notMeasured
	}
	f := figure{
		Scenario: r.scenario, Figure: r.figure, Product: shown(product), Naive: shown(naiveName), Limit: shown(limitName),
	}
	if math.IsNaN(r.goal) {
		return f
	}
	value := r.judged.value(values)
	f.Goal, f.Judged = fmt.Sprintf("%s %g", r.judged, r.goal), number(value)
	f.Met = "no"
	if r.judged.isMet(value, r.goal) {
		f.Met = "yes"
	}
	return f
}

// value returns what is compared with the goal.
func (j judgement) value(values map[string]float64) float64 {
	switch j {
	case perLimit:
		return ratio(values[product], values[limitName])
	case perNaive:
		return ratio(values[naiveName], values[product])
	case most:
	}
	return values[product]
}

// isMet compares as precisely as values are shown.
func (j judgement) isMet(value, goal float64) bool {
	const shown = 0.005
	if j == perNaive {
		return value > goal-shown
	}
	return value < goal+shown
}

// notMeasured stands for a value that a run does not have.
const notMeasured = "–"

func number(value float64) string {
	if math.IsNaN(value) {
		return notMeasured
	}
	return fmt.Sprintf("%.2f", value)
}

// show prints the figures as a table.
func show(out io.Writer, figures []figure) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "scenario\tfigure\toperator\tnaive\tlimit\tgoal\tjudged\tmet") //nolint:errcheck // as below
	for _, f := range figures {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", //nolint:errcheck // there is nowhere to report it
			f.Scenario, f.Figure, f.Product, f.Naive, f.Limit, f.Goal, f.Judged, f.Met)
	}
	_ = table.Flush() //nolint:errcheck // as above
}

// line is a result in one line.
func (r *result) line() string {
	return fmt.Sprintf("%s, %s: %d changes in %.1f s; POSTs %v, polls %v, refused %d; writes %v, Events %d, refused %d; "+
		"CPU %.1f s, control plane %.1f s; memory %d MiB", r.scenario, r.contestant, r.changes, r.took.Seconds(),
		r.traffic.posts, r.traffic.polls, r.traffic.refused, r.writes, r.events, r.refused,
		r.own.seconds, r.plane.seconds, r.own.most>>20)
}
