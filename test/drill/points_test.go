// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// cut is a place at which trouble strikes: one side of one effect of an operation.
type cut struct {
	sort *sort
	at   effect
	side side
}

// String is how a failing run names it.
func (c cut) String() string { return fmt.Sprintf("%s: %s %s", c.sort.name, c.side, c.at.name) }

// cuts are all effects of all operations, before and after.
func cuts() []cut {
	var all []cut
	for _, s := range sorts() {
		for _, at := range s.effects {
			all = append(all, cut{s, at, before}, cut{s, at, after})
		}
	}
	return all
}

// where are the cuts that fit.
func where(fits func(cut) bool) []cut {
	return slices.DeleteFunc(cuts(), func(c cut) bool { return !fits(c) })
}

// between: an intent has been written and the POST is not out.
func (c cut) between() bool { return c.at.name == effectIntent && c.side == after }

// intents are the cuts between an intent and its POST.
func intents() []cut {
	return where(func(c cut) bool { return c.between() && c.sort.provoke == nil })
}

// writes are the cuts at what an order and a plan change write to the API server.
func writes() []cut {
	return where(func(c cut) bool {
		ofOne := c.sort.operation == carrier.OrderCreate || c.sort.name == "plan"
		return ofOne && slices.Contains([]string{effectIntent, effectAccepted, effectEnded}, c.at.name)
	})
}

// polls are the cuts before the first time that the carrier is asked after a request.
func polls() []cut {
	return where(func(c cut) bool { return c.at.name == effectPoll && c.side == before })
}

// forgettable are the cuts before the first time that the carrier is asked after a request, without
// a health reading in `make test`: one that the carrier has forgotten is requested again after a
// minute.
func forgettable() []cut {
	return slices.DeleteFunc(polls(), func(c cut) bool {
		return !whole && world.Scale(c.sort.name == "plan", false)
	})
}

// answers are the cuts before the carrier gets a request, after it has taken it, and before
// it is asked after it, the operations in turn.
func answers() []cut {
	return inTurn(append(where(func(c cut) bool { return c.at.name == effectPOST && c.quick() }), polls()...))
}

// taken are the cuts after the carrier has taken a request.
func taken() []cut {
	return where(func(c cut) bool { return c.at.name == effectPOST && c.side == after && c.quick() })
}

// quick leaves out, unless everything is run, what takes two minutes to prove.
func (c cut) quick() bool { return whole || c.sort.class() != carrier.ClassCharge }

// chargeable are the cuts around the POST of what costs money or disturbs a customer, and
// what is done next, the operations in turn.
func chargeable() []cut {
	return inTurn(where(func(c cut) bool {
		around := slices.Contains([]string{effectIntent, effectPOST, effectAccepted, effectEnded}, c.at.name)
		return c.sort.once() && around
	}))
}

// stoppable are the cuts between intent and outcome of all operations, in turn.
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

// thinned is everything when everything is run, and else each so-and-so-many-th.
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

// deal gives each of a number of lanes its share.
func deal[T any](all []T, lanes int) [][]T {
	shares := make([][]T, lanes)
	for i, one := range all {
		shares[i%lanes] = append(shares[i%lanes], one)
	}
	return shares
}
