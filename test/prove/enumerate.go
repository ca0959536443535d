// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
)

// Outcome is what is left of a run.
type Outcome struct {
	Effects  []Effect
	Looks    []int64 // the newest version at each look
	Versions []int64 // of the object
	Broken   []string
}

// Enumeration tells a story again and again, each time by another plan.
type Enumeration struct {
	Story    *Story
	Managers int
	Share    Share

	Play func(Plan) Outcome // carries a plan out

	faults, acts, orders, alone int // pairs, orders of two passes, and acts alone, so far
	left                        int // of these, those that were left out
}

// Share is how much is tried: every how-manieth. What goes wrong alone always is.
type Share struct {
	Faults int // of two faults, and of what a cache shows
	Acts   int // of a fault and what somebody else does
	Orders int // of the orders of two passes in which managers are stopped more than once
	Alone  int // of what somebody else does, alone
	Seed   int // which of them
}

// All tells the story by every plan.
func (e *Enumeration) All() {
	whole := e.play()
	e.observations(whole)
	e.interleavings(whole)
	for _, effect := range whole.Effects {
		for _, kind := range e.kinds(effect) {
			if !kind.acts() || e.isIn(&e.alone, e.Share.Alone) {
				e.pairsAfter(Fault{At: effect.Number, Kind: kind}, effect.Sort)
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

// kinds are what can happen at an effect: all that can go wrong, and all that somebody can do.
func (e *Enumeration) kinds(effect Effect) []Kind {
	return slices.Concat(faults(effect.Sort), acts(e.Story, e.Managers))
}

// pairsAfter tries one thing, and every second one that can follow it. Every fault follows every
// fault; what somebody else does follows a typical one, or is followed by one.
func (e *Enumeration) pairsAfter(first Fault, sort Sort) {
	hit := e.play(first)
	for _, effect := range hit.Effects[min(first.At, len(hit.Effects)):] {
		for _, kind := range e.kinds(effect) {
			second := Fault{At: effect.Number, Kind: kind}
			switch {
			case !first.Kind.acts() && !kind.acts():
				e.pair(&e.faults, e.Share.Faults, first, second)
			case typical(sort, first.Kind), typical(effect.Sort, kind):
				e.pair(&e.acts, e.Share.Acts, first, second)
			}
		}
	}
}

// observations shows every look every older version, once and for some time, delivers every
// observation twice, and does two of these in every order.
func (e *Enumeration) observations(whole Outcome) {
	shown := observable(whole)
	for i, first := range shown {
		e.play(first)
		for _, second := range shown[i+1:] {
			if second.At > first.At {
				e.pair(&e.faults, e.Share.Faults, first, second)
			}
		}
	}
}

// observable is what a cache can do at each look.
func observable(whole Outcome) []Fault {
	var shown []Fault
	for i, newest := range whole.Looks {
		shown = append(shown, Fault{At: i + 1, Kind: Again})
		for _, version := range older(whole.Versions, newest) {
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

func (e *Enumeration) play(faults ...Fault) Outcome {
	return e.Play(Plan{Story: e.Story, Managers: e.Managers, Faults: faults})
}

// outcome is what is left of a run once it is over.
func (r *run) outcome() Outcome {
	object := r.plan.Story.Empty()
	object.SetName(r.name.Name)
	object.SetNamespace(r.name.Namespace)
	return Outcome{
		Effects: r.effects[:r.lastEffect], Looks: r.looks[:r.lastLook],
		Versions: r.store.Versions(object), Broken: slices.Clone(r.broken),
	}
}
