// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// aspect is one aspect of a service: the carrier's state before and after a change, and its
// declaration.
type aspect struct {
	before, after func(*simulator.Service)
	declare       func(*v1alpha1.BroadbandServiceSpec)
}

// aspects are the aspects of one service.
type aspects []aspect

func (f aspects) before(line *simulator.Service) {
	for _, aspect := range f {
		aspect.before(line)
	}
}

func (f aspects) after(line *simulator.Service) {
	for _, aspect := range f {
		aspect.after(line)
	}
}

func (f aspects) declare(spec *v1alpha1.BroadbandServiceSpec) {
	for _, aspect := range f {
		aspect.declare(spec)
	}
}

// changing returns the aspects in which the carrier's state differs from the declared one.
func changing() aspects { return append(trustable(), cancellation()) }

// wantedPosts returns the POSTs that change these aspects of one service, once each. No other POST
// may be sent.
func wantedPosts() []simulator.Operation {
	return []simulator.Operation{
		simulator.OpHealth,     // a plan is read before it is changed
		simulator.OpPlanChange, // plan and restoration SLA are sent together
		simulator.OpAggregationConversion,
		simulator.OpDSLStabilityProfileChange,
		simulator.OpCancellationReschedule,
	}
}

// trustable returns the aspects that trustDeclared can name.
func trustable() aspects {
	return aspects{
		{
			before:  func(s *simulator.Service) { s.Plan = world.PlanSlow },
			after:   func(s *simulator.Service) { s.Plan = world.PlanFast },
			declare: func(s *v1alpha1.BroadbandServiceSpec) { s.Plan = &v1alpha1.Plan{Name: world.PlanFast, Term: 12} },
		},
		{
			before:  func(s *simulator.Service) { s.RestorationSLA = world.SLAStd },
			after:   func(s *simulator.Service) { s.RestorationSLA = world.SLAFast },
			declare: func(s *v1alpha1.BroadbandServiceSpec) { s.RestorationSLA = world.SLAFast },
		},
		{
			before:  func(s *simulator.Service) { s.AggregationMethod = "L2TP" },
			after:   func(s *simulator.Service) { s.AggregationMethod = "ETHERNET" },
			declare: func(s *v1alpha1.BroadbandServiceSpec) { s.AggregationMethod = "ETHERNET" },
		},
		{
			before:  func(s *simulator.Service) { s.DSLStabilityProfile = "Standard" },
			after:   func(s *simulator.Service) { s.DSLStabilityProfile = "Stable" },
			declare: func(s *v1alpha1.BroadbandServiceSpec) { s.DSLStabilityProfile = "Stable" },
		},
	}
}

// cancellation is the aspect of a cancellation that is declared for another day.
func cancellation() aspect {
	const before, after = "2098-06-30", "2099-06-30" // it must not be carried out while the test runs
	requested := func(day string) func(*simulator.Service) {
		return func(s *simulator.Service) {
			s.Cancellation = &simulator.Cancellation{Status: "REQUESTED", RequestDate: day}
		}
	}
	return aspect{
		before: requested(before), after: requested(after),
		declare: func(s *v1alpha1.BroadbandServiceSpec) {
			s.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: after}
		},
	}
}
