// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Outcome is what is left of a run.
type Outcome struct {
	Effects  []Effect
	Looks    []cacheRead
	Versions map[string][]int64 // of what a cache may show late, by type
	Broken   []string
}

// Enumeration tells a story again and again, each time by another plan.
type Enumeration struct {
	Story    *Story
	Managers int
	Share    Share

	Play func(Plan) Outcome // carries a plan out

	faults, looks, acts, people, orders, alone int // pairs, orders of two passes, and acts alone, so far
	left                                       int // of these, those that were left out
	broken                                     int // plans in which something went wrong that must not
}

// mostBroken is how many such plans end an enumeration: each is told in full, and more of them say no
// more.
const mostBroken = 12

// Share is how much is tried: every how-manieth. What goes wrong alone always is.
type Share struct {
	Faults int // of two faults
	Looks  int // of two looks at which a cache lags behind
	Acts   int // of a fault and what somebody else does
	People int // of two things that somebody else does
	Orders int // of the orders of two passes in which managers are stopped more than once
	Alone  int // of what somebody else does, alone
	Seed   int // which of them
}

// All tells the story by every plan.
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

// failsInGap has somebody act where that is left out, and something go wrong at the next effect: the
// gap ends there, with what the next pass looks at first.
func (e *Enumeration) failsInGap(effects []Effect, at int) {
	if at+1 >= len(effects) {
		return
	}
	next := effects[at+1]
	for _, act := range acts(e.Story, e.Managers) {
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

// isIn counts one more of a sort, and says whether it is in the share of that sort.
func (e *Enumeration) isIn(count *int, share int) bool {
	*count++
	if (*count+e.Share.Seed)%share != 0 {
		e.left++
		return false
	}
	return true
}

// kinds are what can happen at an effect of a run: all that can go wrong, and all that somebody can do
// there and not just as well before the next one.
func (e *Enumeration) kinds(effects []Effect, at int) []Kind {
	placed := slices.DeleteFunc(acts(e.Story, e.Managers), func(kind Kind) bool { return !isPlace(effects, at, kind) })
	return slices.Concat(faults(effects[at].Sort), placed)
}

// pairsAfter tries one thing, and every second one that can follow it. Every fault follows every
// fault; what somebody else does follows a typical one, or is followed by one; and in a story of each
// class, it follows whatever else somebody does.
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

// pairsActs says whether two things are tried that somebody else does. A story stands for its class.
func (e *Enumeration) pairsActs() bool {
	return e.Managers == 1 && slices.Contains([]v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationPlanChange, v1alpha1.OperationDiagnosticTest,
		v1alpha1.OperationCancellationReschedule, v1alpha1.OperationDSLStabilityProfileChange,
		v1alpha1.OperationAppointmentSlots,
	}, e.Story.Asks) && e.Story.Name != "PlanChange with ntdOption"
}

// observations shows every look every older version, once and for some time, delivers every
// observation twice, and does two of these in every order.
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

// observable is what a cache can do at each look.
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

// pair tries two things, if they are in the share of their sort.
func (e *Enumeration) pair(count *int, share int, first, second Fault) {
	if e.isIn(count, share) {
		e.play(first, second)
	}
}

// older are the versions of an object before the one that is the newest, when the store is at
// a version.
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
	return append([]int64{0}, before[:len(before)-1]...) // at 0 the object was not there yet
}

// play tells the story by a plan, unless enough plans are broken: then nothing is left of it to go on
// from.
func (e *Enumeration) play(faults ...Fault) Outcome {
	if e.broken >= mostBroken {
		return Outcome{}
	}
	left := e.Play(Plan{Story: e.Story, Managers: e.Managers, Faults: faults})
	if len(left.Broken) > 0 {
		e.broken++
	}
	return left
}

// outcome is what is left of a run once it is over.
func (r *run) outcome() Outcome {
	return Outcome{
		Effects: r.effects[:r.lastEffect], Looks: r.cache.looks[:r.lastLook],
		Versions: r.versions(), Broken: slices.Clone(r.broken),
	}
}
