// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"math"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Outcome is the result of a run.
type Outcome struct {
	Effects    []Effect
	CacheReads []cacheRead
	Versions   map[string][]int64 // of the objects that a cache may show late, by type
	Violations []string
}

// Enumeration runs a scenario once for each fault plan.
type Enumeration struct {
	Scenario *Scenario
	Managers int
	Share    Share

	Run func(Plan) Outcome // carries out a plan

	faults, cacheReads, actions, actionPairs int // pairs so far
	mixed                                    int // pairs with a stale read so far
	orders                                   int // orders of two passes so far
	singles                                  int // single actions so far
	leftOut                                  int // single actions that were left out
	broken                                   int // plans that broke an invariant
}

// maxViolations is the number of plans that break an invariant after which an enumeration ends.
// Each is printed in full, and more of them would add nothing.
const maxViolations = 12

// Share is how much is tried. A number n means every nth combination of its sort. Single faults are
// always tried.
type Share struct {
	Faults      int // pairs of faults
	CacheReads  int // pairs of cache reads at which a cache lags
	Actions     int // pairs of a fault and an action of another actor
	ActionPairs int // pairs of actions of other actors
	Mixed       int // pairs of a stale read with a fault, or with an action
	Orders      int // orders of two passes in which managers are stopped more than once
	Singles     int // single actions of other actors
	Seed        int // selects which of the combinations are tried
}

// Thinning reduces how many combinations of a scenario are tried: of the usual ones, only every
// nth. 0 means all of them.
type Thinning struct {
	Pairs  int // pairs of faults, of cache reads, and of actions
	Orders int // orders of two passes

	FullOnly bool // `make test` leaves the scenario out
	DeepOnly bool // only `make prove` tries it
}

// thinnings are for the scenarios with the most effects, which take most of the time, and for those
// that differ little from another one: see docs/design/0002.
var thinnings = map[string]Thinning{
	"AggregationConversion":     {Pairs: 8},
	"DiagnosticTest":            {Pairs: 12},
	"DSLStabilityProfileChange": {Pairs: 12},
	"UnknownAggregationMethod":  {Pairs: 24},
	"PlanChange":                {Pairs: 8},
	planWithNTD:                 {Pairs: 64, Orders: 8, FullOnly: true},
	firstPlanChange:             {Pairs: 128, Orders: 64, FullOnly: true},

	"PlanChange" + describedSuffix:                {Pairs: 256, Orders: 64},
	planWithNTD + describedSuffix:                 {Pairs: 256, Orders: 64, FullOnly: true},
	"AggregationConversion" + describedSuffix:     {Pairs: 256, Orders: 64, FullOnly: true},
	"DSLStabilityProfileChange" + describedSuffix: {Pairs: 256, Orders: 64, FullOnly: true},

	orderRead:         {Pairs: 512, Orders: 64, FullOnly: true},
	orderReadRejected: {Pairs: 512, Orders: 64, FullOnly: true},

	installedPlan:       {Pairs: 2048, Orders: 64, FullOnly: true, DeepOnly: true},
	correctedPlan:       {Pairs: 2048, Orders: 64, FullOnly: true, DeepOnly: true},
	correctedReschedule: {Pairs: 2048, Orders: 64, FullOnly: true, DeepOnly: true},
	trustedAggregation:  {Pairs: 2048, Orders: 64, FullOnly: true, DeepOnly: true},
	installedOrder:      {Pairs: 256, Orders: 64, FullOnly: true},
}

// thinned returns the share for a scenario of which fewer combinations are tried. A share that
// includes all combinations does not change.
func (s Share) thinned(by Thinning) Share {
	if s.CacheReads == 1 {
		return s
	}
	for _, pairs := range []*int{&s.Faults, &s.CacheReads, &s.Actions, &s.ActionPairs, &s.Mixed} {
		*pairs = times(*pairs, by.Pairs)
	}
	s.Orders = times(s.Orders, by.Orders)
	return s
}

// times multiplies a share. The share that leaves all out does not change.
func times(share, by int) int {
	if share == math.MaxInt {
		return share
	}
	return share * max(1, by)
}

// RunAll runs the scenario with every plan that is in the share.
func (e *Enumeration) RunAll() {
	whole := e.run()
	e.staleReads(whole)
	e.interleavings(whole)
	for i, effect := range whole.Effects {
		for _, kind := range e.kinds(whole.Effects, i) {
			if !kind.isAction() || e.isIn(&e.singles, e.Share.Singles) {
				e.pairsAfter(Fault{At: effect.Number, Kind: kind}, effect.Op)
			}
		}
		e.pairInGap(whole.Effects, i)
	}
}

// pairInGap pairs an action at an effect that is otherwise left out with a fault at the next
// effect. The gap ends with that fault and with the first read of the next pass.
func (e *Enumeration) pairInGap(effects []Effect, at int) {
	if at+1 >= len(effects) {
		return
	}
	next := effects[at+1]
	for _, action := range actions(e.Scenario, e.Managers) {
		if isTried(effects, at, action) {
			continue
		}
		for _, fault := range e.faultsAt(next) {
			if isTypical(next.Op, fault) {
				first, second := Fault{At: effects[at].Number, Kind: action}, Fault{At: next.Number, Kind: fault}
				e.pair(&e.actions, e.Share.Actions, first, second)
			}
		}
	}
}

// isIn counts one more combination, and reports whether it is in the share.
func (e *Enumeration) isIn(count *int, share int) bool {
	*count++
	if (*count+e.Share.Seed)%share != 0 {
		e.leftOut++
		return false
	}
	return true
}

// kinds returns what can happen at an effect: all faults, and those actions whose result would
// differ before the next effect.
func (e *Enumeration) kinds(effects []Effect, at int) []FaultKind {
	leftOut := func(action FaultKind) bool { return !isTried(effects, at, action) }
	return slices.Concat(e.faultsAt(effects[at]), slices.DeleteFunc(actions(e.Scenario, e.Managers), leftOut))
}

// pairsAfter runs a plan with one fault or action, and then with each second fault or action that
// can follow it. Any two faults are paired. An action is paired with typical faults only. Two
// actions are paired in one scenario of each class. Of these pairs, those in the share are tried.
func (e *Enumeration) pairsAfter(first Fault, op Op) {
	hit := e.run(first)
	e.staleAfter(first, op, hit)
	for i := min(first.At, len(hit.Effects)); i < len(hit.Effects); i++ {
		effect := hit.Effects[i]
		for _, kind := range e.kinds(hit.Effects, i) {
			second := Fault{At: effect.Number, Kind: kind}
			switch {
			case !first.Kind.isAction() && !kind.isAction():
				e.pair(&e.faults, e.Share.Faults, first, second)
			case isTypical(op, first.Kind), isTypical(effect.Op, kind):
				e.pair(&e.actions, e.Share.Actions, first, second)
			case first.Kind.isAction() && kind.isAction() && e.pairsActions():
				e.pair(&e.actionPairs, e.Share.ActionPairs, first, second)
			}
		}
	}
}

// pairsActions reports whether pairs of actions are tried. One scenario represents its class.
func (e *Enumeration) pairsActions() bool {
	return e.Managers == 1 && slices.Contains([]v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationPlanChange, v1alpha1.OperationDiagnosticTest,
		v1alpha1.OperationCancellationReschedule, v1alpha1.OperationDSLStabilityProfileChange,
		v1alpha1.OperationAppointmentSlots,
	}, e.Scenario.Operation) && !slices.Contains([]string{
		planWithNTD, firstPlanChange, orderRead, orderReadRejected,
	}, e.Scenario.Name)
}

// staleReads shows every older version at every cache read, both once and for some time, and
// delivers every observation twice. It also combines any two of these faults in every order, and each
// with a typical fault or an action after it.
func (e *Enumeration) staleReads(whole Outcome) {
	faults := staleFaults(whole, 0)
	for i, first := range faults {
		e.mixAfter(first, whole.CacheReads[first.At-1].after, e.run(first))
		for _, second := range faults[i+1:] {
			if second.At > first.At {
				e.pair(&e.cacheReads, e.Share.CacheReads, first, second)
			}
		}
	}
}

// staleAfter combines a typical fault or an action with each stale read after it.
func (e *Enumeration) staleAfter(first Fault, op Op, hit Outcome) {
	if e.Share.Mixed == math.MaxInt || !isTypical(op, first.Kind) && !first.Kind.isAction() {
		return
	}
	for _, second := range staleFaults(hit, first.At) {
		e.pair(&e.mixed, e.Share.Mixed, first, second)
	}
}

// mixAfter combines a stale read with each typical fault and each action at the effects after it.
func (e *Enumeration) mixAfter(first Fault, after int, hit Outcome) {
	if e.Share.Mixed == math.MaxInt {
		return
	}
	for i := min(after, len(hit.Effects)); i < len(hit.Effects); i++ {
		effect := hit.Effects[i]
		for _, kind := range e.kinds(hit.Effects, i) {
			if kind.isAction() || isTypical(effect.Op, kind) {
				e.pair(&e.mixed, e.Share.Mixed, first, Fault{At: effect.Number, Kind: kind})
			}
		}
	}
}

// staleFaults returns what a cache can show at each read since an effect.
func staleFaults(whole Outcome, since int) []Fault {
	var faults []Fault
	for i, read := range whole.CacheReads {
		if read.after < since {
			continue
		}
		faults = append(faults, Fault{At: i + 1, Kind: Redelivered})
		for _, version := range older(whole.Versions[read.of], read.newest) {
			faults = append(faults,
				Fault{At: i + 1, Kind: Stale, Version: version}, Fault{At: i + 1, Kind: Lagging, Version: version})
		}
	}
	return faults
}

// pair runs a plan with two faults or actions, if the pair is in the share.
func (e *Enumeration) pair(count *int, share int, first, second Fault) {
	if e.isIn(count, share) {
		e.run(first, second)
	}
}

// older returns the versions of an object that were outdated when the store was at a version.
func older(versions []int64, at int64) []int64 {
	var before []int64
	for _, version := range versions {
		if version <= at {
			before = append(before, version)
		}
	}
	if len(before) == 0 {
		return nil
	}
	return append([]int64{0}, before[:len(before)-1]...) // at 0 the object did not exist yet
}

// run runs the scenario with a plan. Once enough plans have broken an invariant, it returns an
// empty outcome, so that no further plans result from it.
func (e *Enumeration) run(faults ...Fault) Outcome {
	if e.broken >= maxViolations {
		return Outcome{}
	}
	outcome := e.Run(Plan{Scenario: e.Scenario, Managers: e.Managers, Faults: faults})
	if len(outcome.Violations) > 0 {
		e.broken++
	}
	return outcome
}

// outcome returns the result of a run once it is over.
func (r *run) outcome() Outcome {
	return Outcome{
		Effects: r.effects[:r.lastEffect], CacheReads: r.cache.reads[:r.lastCacheRead],
		Versions: r.versions(), Violations: slices.Clone(r.violations),
	}
}
