// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Outcome is the result of a run.
type Outcome struct {
	Effects  []Effect
	Looks    []cacheRead
	Versions map[string][]int64 // of the objects that a cache may show late, by type
	Broken   []string
}

// Enumeration runs a scenario once for each fault plan.
type Enumeration struct {
	Scenario *Scenario
	Managers int
	Share    Share

	Play func(Plan) Outcome // carries out a plan

	faults, looks, acts, people, orders, alone int // pairs, orders of two passes, and single acts, so far
	left                                       int // of these, those that were left out
	broken                                     int // plans that broke an invariant
}

// mostBroken is the number of broken plans that ends an enumeration: each is printed in full, and
// more of them add nothing.
const mostBroken = 12

// Share is how much is tried: every nth combination. Single faults are always tried.
type Share struct {
	Faults int // pairs of faults
	Looks  int // pairs of cache reads at which a cache lags
	Acts   int // pairs of a fault and an act of another actor
	People int // pairs of acts of other actors
	Orders int // orders of two passes in which managers are stopped more than once
	Alone  int // single acts of other actors
	Seed   int // which of the combinations
}

// All runs the scenario with every plan.
func (e *Enumeration) All() {
	whole := e.play()
	e.observations(whole)
	e.interleavings(whole)
	for i, effect := range whole.Effects {
		for _, kind := range e.kinds(whole.Effects, i) {
			if !kind.acts() || e.isIn(&e.alone, e.Share.Alone) {
				e.pairsAfter(Fault{At: effect.Number, Kind: kind}, effect.Sort)
			}
		}
		e.failsInGap(whole.Effects, i)
	}
}

// failsInGap pairs an act at a place that is otherwise left out with a fault at the next effect.
// The gap ends with that fault and with the first read of the next pass.
func (e *Enumeration) failsInGap(effects []Effect, at int) {
	if at+1 >= len(effects) {
		return
	}
	next := effects[at+1]
	for _, act := range acts(e.Scenario, e.Managers) {
		if isPlace(effects, at, act) {
			continue
		}
		for _, fault := range faults(next.Sort) {
			if typical(next.Sort, fault) {
				e.pair(&e.acts, e.Share.Acts, Fault{At: effects[at].Number, Kind: act}, Fault{At: next.Number, Kind: fault})
			}
		}
	}
}

// isIn counts one more combination, and reports whether it is in the share.
func (e *Enumeration) isIn(count *int, share int) bool {
	*count++
	if (*count+e.Share.Seed)%share != 0 {
		e.left++
		return false
	}
	return true
}

// kinds returns what can happen at an effect: all faults, and the acts that do not have the same
// result before the next effect.
func (e *Enumeration) kinds(effects []Effect, at int) []Kind {
	placed := slices.DeleteFunc(acts(e.Scenario, e.Managers), func(kind Kind) bool { return !isPlace(effects, at, kind) })
	return slices.Concat(faults(effects[at].Sort), placed)
}

// pairsAfter runs a plan with one fault or act, and then with each second one that can follow it.
// All pairs of faults are tried. An act is paired with typical faults only. Pairs of acts are tried
// in one scenario of each class.
func (e *Enumeration) pairsAfter(first Fault, sort Sort) {
	hit := e.play(first)
	for i := min(first.At, len(hit.Effects)); i < len(hit.Effects); i++ {
		effect := hit.Effects[i]
		for _, kind := range e.kinds(hit.Effects, i) {
			second := Fault{At: effect.Number, Kind: kind}
			switch {
			case !first.Kind.acts() && !kind.acts():
				e.pair(&e.faults, e.Share.Faults, first, second)
			case typical(sort, first.Kind), typical(effect.Sort, kind):
				e.pair(&e.acts, e.Share.Acts, first, second)
			case first.Kind.acts() && kind.acts() && e.pairsActs():
				e.pair(&e.people, e.Share.People, first, second)
			}
		}
	}
}

// pairsActs reports whether pairs of acts are tried. One scenario represents its class.
func (e *Enumeration) pairsActs() bool {
	return e.Managers == 1 && slices.Contains([]v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationPlanChange, v1alpha1.OperationDiagnosticTest,
		v1alpha1.OperationCancellationReschedule, v1alpha1.OperationDSLStabilityProfileChange,
		v1alpha1.OperationAppointmentSlots,
	}, e.Scenario.Asks) && e.Scenario.Name != "PlanChange with ntdOption"
}

// observations shows every older version at every cache read, once and for some time, delivers
// every observation twice, and combines two of these in every order.
func (e *Enumeration) observations(whole Outcome) {
	shown := observable(whole)
	for i, first := range shown {
		e.play(first)
		for _, second := range shown[i+1:] {
			if second.At > first.At {
				e.pair(&e.looks, e.Share.Looks, first, second)
			}
		}
	}
}

// observable returns what a cache can show at each read.
func observable(whole Outcome) []Fault {
	var shown []Fault
	for i, read := range whole.Looks {
		shown = append(shown, Fault{At: i + 1, Kind: Again})
		for _, version := range older(whole.Versions[read.of], read.newest) {
			shown = append(shown,
				Fault{At: i + 1, Kind: Stale, Version: version}, Fault{At: i + 1, Kind: Lagging, Version: version})
		}
	}
	return shown
}

// pair runs a plan with two faults or acts, if the pair is in the share.
func (e *Enumeration) pair(count *int, share int, first, second Fault) {
	if e.isIn(count, share) {
		e.play(first, second)
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

// play runs the scenario with a plan. Once enough plans are broken it returns an empty outcome, so
// nothing follows from it.
func (e *Enumeration) play(faults ...Fault) Outcome {
	if e.broken >= mostBroken {
		return Outcome{}
	}
	left := e.Play(Plan{Scenario: e.Scenario, Managers: e.Managers, Faults: faults})
	if len(left.Broken) > 0 {
		e.broken++
	}
	return left
}

// outcome returns the result of a run once it is over.
func (r *run) outcome() Outcome {
	return Outcome{
		Effects: r.effects[:r.lastEffect], Looks: r.cache.looks[:r.lastLook],
		Versions: r.versions(), Broken: slices.Clone(r.broken),
	}
}
