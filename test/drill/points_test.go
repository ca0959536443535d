// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// cut is a point at which a fault occurs: one side of one effect of an operation.
type cut struct {
	sort *sort
	at   effect
	side side
}

// String returns the cut as a failing run names it.
func (c cut) String() string { return fmt.Sprintf("%s: %s %s", c.sort.name, c.side, c.at.name) }

// cuts returns all effects of all operations, before and after.
func cuts() []cut {
	var all []cut
	for _, s := range sorts() {
		for _, at := range s.effects {
			all = append(all, cut{s, at, before}, cut{s, at, after})
		}
	}
	return all
}

// where returns the cuts that match.
func where(fits func(cut) bool) []cut {
	return slices.DeleteFunc(cuts(), func(c cut) bool { return !fits(c) })
}

// between reports whether the intent is written and the POST is not sent.
func (c cut) between() bool { return c.at.name == effectIntent && c.side == after }

// intents returns the cuts between an intent and its POST.
func intents() []cut {
	return where(func(c cut) bool { return c.between() && c.sort.provoke == nil })
}

// writes returns the cuts at the API server writes of an order and a plan change.
func writes() []cut {
	return where(func(c cut) bool {
		ofOne := c.sort.operation == carrier.OrderCreate || c.sort.name == "plan"
		return ofOne && slices.Contains([]string{effectIntent, effectAccepted, effectEnded}, c.at.name)
	})
}

// polls returns the cuts before the first poll of a request.
func polls() []cut {
	return where(func(c cut) bool { return c.at.name == effectPoll && c.side == before })
}

// forgettable returns the cuts before the first poll of a request, in `make test` without health
// readings: one that the carrier has forgotten is requested again after a minute.
func forgettable() []cut {
	return slices.DeleteFunc(polls(), func(c cut) bool {
		return !whole && world.Scale(c.sort.name == "plan", false)
	})
}

// answers returns the cuts before the carrier gets a request, after it has accepted it, and before
// the first poll, with the operations in turn.
func answers() []cut {
	return inTurn(append(where(func(c cut) bool { return c.at.name == effectPOST && c.quick() }), polls()...))
}

// taken returns the cuts after the carrier has accepted a request.
func taken() []cut {
	return where(func(c cut) bool { return c.at.name == effectPOST && c.side == after && c.quick() })
}

// quick leaves out, except in a full run, what takes two minutes to prove.
func (c cut) quick() bool { return whole || c.sort.class() != carrier.ClassCharge }

// chargeable returns the cuts around the POST of requests that cost money or disturb a customer,
// and around the next action, with the operations in turn.
func chargeable() []cut {
	return inTurn(where(func(c cut) bool {
		around := slices.Contains([]string{effectIntent, effectPOST, effectAccepted, effectEnded}, c.at.name)
		return c.sort.once() && around
	}))
}

// stoppable returns the cuts between intent and outcome of all operations, in turn.
func stoppable() []cut {
	const most = 24
	fitting := inTurn(where(func(c cut) bool {
		return c.sort.provoke == nil && (c.between() || c.at.name == effectPOST)
	}))
	return fitting[:min(len(fitting), most)]
}

// inTurn sorts cuts so that neighbors are of different operations.
func inTurn(all []cut) []cut {
	seen := map[string]int{}
	turn := make(map[string]int, len(all))
	for _, c := range all {
		turn[c.String()] = seen[c.sort.name]
		seen[c.sort.name]++
	}
	slices.SortStableFunc(all, func(a, b cut) int { return turn[a.String()] - turn[b.String()] })
	return all
}

// thinned returns everything in a full run, and otherwise every nth.
func thinned[T any](all []T, by int) []T {
	if whole {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += by {
		some = append(some, all[i])
	}
	return some
}

// deal splits something among a number of lanes.
func deal[T any](all []T, lanes int) [][]T {
	shares := make([][]T, lanes)
	for i, one := range all {
		shares[i%lanes] = append(shares[i%lanes], one)
	}
	return shares
}
