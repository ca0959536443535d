// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// faultPoint is a point at which a fault occurs: one side of one effect of an operation.
type faultPoint struct {
	kind   *kind
	effect effect
	side   side
}

// String returns the fault point as a failing run names it.
func (c faultPoint) String() string {
	return fmt.Sprintf("%s: %s %s", c.kind.name, c.side, c.effect.name)
}

// faultPoints returns all effects of all operations, before and after.
func faultPoints() []faultPoint { return pointsOf(kinds()) }

// pointsOf returns all effects of some operations, before and after.
func pointsOf(kinds []*kind) []faultPoint {
	var all []faultPoint
	for _, s := range kinds {
		for _, at := range s.effects {
			all = append(all, faultPoint{s, at, before}, faultPoint{s, at, after})
		}
	}
	return all
}

// selectPoints returns the fault points that match.
func selectPoints(matches func(faultPoint) bool) []faultPoint {
	return slices.DeleteFunc(faultPoints(), func(c faultPoint) bool { return !matches(c) })
}

// isBeforePOST reports whether the intent is written and the POST is not sent.
func (c faultPoint) isBeforePOST() bool { return c.effect.name == effectIntent && c.side == after }

// intents returns the fault points between an intent and its POST.
func intents() []faultPoint {
	return selectPoints(func(c faultPoint) bool { return c.isBeforePOST() && c.kind.trigger == nil })
}

// writes returns the fault points at the API server writes of an order and a plan change.
func writes() []faultPoint {
	return selectPoints(func(c faultPoint) bool {
		ofOne := c.kind.operation == carrier.OrderCreate || c.kind.name == "plan"
		return ofOne && slices.Contains([]string{effectIntent, effectAccepted, effectEnded}, c.effect.name)
	})
}

// pollPoints returns the fault points before the first poll of a request.
func pollPoints() []faultPoint {
	return selectPoints(func(c faultPoint) bool { return c.effect.name == effectPoll && c.side == before })
}

// forgettable returns the fault points before the first poll of a request. In `make test` it leaves
// out health readings, because a reading that the carrier has forgotten is requested again only
// after a minute.
func forgettable() []faultPoint {
	return slices.DeleteFunc(pollPoints(), func(c faultPoint) bool {
		return !whole && world.Scale(c.kind.name == "plan", false)
	})
}

// carrierPoints returns the fault points before the carrier gets a request, after it has accepted
// it, and before the first poll, with the operations in turn.
func carrierPoints() []faultPoint {
	posts := selectPoints(func(c faultPoint) bool { return c.effect.name == effectPOST && c.isQuick() })
	return interleaved(append(posts, pollPoints()...))
}

// afterPOST returns the fault points after the carrier has accepted a request.
func afterPOST() []faultPoint {
	return selectPoints(func(c faultPoint) bool { return c.effect.name == effectPOST && c.side == after && c.isQuick() })
}

// isQuick reports whether a fault point is tried in this run. Only a full run tries those that take
// two minutes to prove.
func (c faultPoint) isQuick() bool { return whole || c.kind.class() != carrier.ClassCharge }

// chargeable returns the fault points before and after the intent, the POST, the record of the
// acceptance and the record of the end, for requests that cost money or disturb a customer. They
// alternate between the operations.
func chargeable() []faultPoint {
	return interleaved(selectPoints(func(c faultPoint) bool {
		around := slices.Contains([]string{effectIntent, effectPOST, effectAccepted, effectEnded}, c.effect.name)
		return c.kind.isSentOnce() && around
	}))
}

// stoppable returns up to 24 fault points between intent and outcome, alternating between the
// operations. It leaves out operations that need a trigger.
func stoppable() []faultPoint {
	const most = 24
	fitting := interleaved(selectPoints(func(c faultPoint) bool {
		return c.kind.trigger == nil && (c.isBeforePOST() || c.effect.name == effectPOST)
	}))
	return fitting[:min(len(fitting), most)]
}

// interleaved sorts fault points so that neighbors are of different operations.
func interleaved(all []faultPoint) []faultPoint {
	count := map[string]int{}
	turn := make(map[string]int, len(all))
	for _, c := range all {
		turn[c.String()] = count[c.kind.name]
		count[c.kind.name]++
	}
	slices.SortStableFunc(all, func(a, b faultPoint) int { return turn[a.String()] - turn[b.String()] })
	return all
}

// everyNth returns everything in a full run, and otherwise every nth.
func everyNth[T any](all []T, by int) []T {
	if whole {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += by {
		some = append(some, all[i])
	}
	return some
}

// split splits something among a number of lanes.
func split[T any](all []T, lanes int) [][]T {
	shares := make([][]T, lanes)
	for i, one := range all {
		shares[i%lanes] = append(shares[i%lanes], one)
	}
	return shares
}
