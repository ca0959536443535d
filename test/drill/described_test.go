// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// In some lanes the carrier describes its services, and the account uses that (extension
// ServiceRead). The faults are the same.

// effectDescription is the read of the service before a request is sent.
const effectDescription = "description"

// everySecond returns the extensions of a lane: every second one has ServiceRead.
func everySecond(lane int) []v1alpha1.Extension {
	if !whole || lane%2 == 0 {
		return nil
	}
	return []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
}

// describes reports whether the carrier of a lane describes what changes of a kind set.
func (l *lane) describes(s *kind) bool {
	return slices.Contains(l.extensions, v1alpha1.ExtensionServiceRead) && s.isDescribed()
}

// isDescribed reports whether a description can prove a change of a kind.
func (s *kind) isDescribed() bool {
	return slices.Contains([]carrier.Operation{
		carrier.PlanChange, carrier.AggregationConversion, carrier.DSLStabilityProfileChange,
	}, s.operation)
}

// describedKinds returns the kinds whose changes a description can prove, with their effects in
// lanes where the carrier describes its services. There the service is read instead of health.
func describedKinds() []*kind {
	found := slices.DeleteFunc(modifications(), func(s *kind) bool { return !s.isDescribed() })
	for _, s := range found {
		s.effects = append([]effect{reads()}, modified(s.operation)...)
	}
	return found
}

// reads is the effect of reading the service.
func reads() effect {
	return effect{effectDescription, func(_ *record, e *change, call apiCall) bool {
		return call.toCarrier() && call.method == http.MethodGet && call.path == "/api/connect/services/"+e.mark
	}}
}

// describedPoints returns the fault points where the carrier describes its services, with the
// operations in turn. They include those at which a description makes no difference, so that
// undescribedPoints can leave these out.
func describedPoints() []faultPoint {
	return interleaved(slices.DeleteFunc(pointsOf(describedKinds()), func(c faultPoint) bool {
		return c.effect.name == effectPoll
	}))
}

// undescribedPoints returns the fault points where the carrier does not describe its services: all,
// except those that describedPoints includes and at which a description makes no difference.
func undescribedPoints() []faultPoint {
	return selectPoints(func(c faultPoint) bool {
		recorded := slices.Contains([]string{effectIntent, effectAccepted, effectEnded}, c.effect.name)
		return !c.kind.isDescribed() || !recorded || c.isUncertain()
	})
}

// isUncertain reports whether a process that ends at the fault point leaves a request behind
// without anybody knowing whether the carrier has it.
func (c faultPoint) isUncertain() bool {
	switch c.effect.name {
	case effectIntent:
		return c.side == after
	case effectAccepted:
		return c.side == before
	}
	return c.effect.name == effectPOST
}

// describedPOSTs returns the fault points around the POST of changes that a description can prove.
func describedPOSTs() []faultPoint {
	return slices.DeleteFunc(describedPoints(), func(c faultPoint) bool { return c.effect.name != effectPOST })
}

// compared returns the findings about changes that a description can prove: of the lanes whose carrier
// does not describe its services, and of those whose carrier does.
func (d *drill) compared(findings [][]finding) (without, with []finding) {
	for i, l := range d.lanes {
		for _, f := range findings[i] {
			switch {
			case l.describes(f.change.kind):
				with = append(with, f)
			case f.change.kind.isDescribed():
				without = append(without, f)
			}
		}
	}
	return without, with
}

// aService is the path of a service.
var aService = regexp.MustCompile(`^/api/connect/services/\d+$`)

// expectRead expects that managers have read services where the carrier describes them, and nowhere
// else.
func (d *drill) expectRead() {
	GinkgoHelper()
	for _, l := range d.lanes {
		calls, err := l.carrier.Calls()
		Expect(err).NotTo(HaveOccurred())
		isRead := func(call simulator.Call) bool { return aService.MatchString(call.Path) }
		Expect(slices.ContainsFunc(calls, isRead)).To(Equal(len(l.extensions) > 0), l.fault)
	}
}
