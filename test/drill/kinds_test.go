// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// kinds returns all operations that change something at the carrier, and three queries.
func kinds() []*kind { return slices.Concat(modifications(), cancellations(), oneShots(), queries()) }

// declarable returns the kinds whose request is sent as soon as they are declared.
func declarable() []*kind {
	return slices.DeleteFunc(kinds(), func(s *kind) bool { return s.trigger != nil })
}

// modifications modify a service.
func modifications() []*kind {
	copper := func(s *simulator.Service) { s.TechnologyType = "FTTN" }
	cancelled := func(s *simulator.Service) {
		s.Cancellation = &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-02-20"}
		s.ReclaimableUntil = "2099-12-31"
	}
	priced := slices.Concat([]effect{posts("health", carrier.Health), polls(carrier.Health)}, modified(carrier.PlanChange))
	return []*kind{
		{
			name: "plan", operation: carrier.PlanChange, effects: priced,
			declare: serviceFor(asSold, func(s *v1alpha1.BroadbandServiceSpec) {
				s.Plan = &v1alpha1.Plan{Name: world.PlanFast, Term: 12}
			}),
		},
		{
			name: "ntd", operation: carrier.PlanChange, ntdOption: true, effects: modified(carrier.PlanChange),
			declare: serviceFor(asSold, func(s *v1alpha1.BroadbandServiceSpec) {
				s.Plan = &v1alpha1.Plan{
					Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
					Contact: &v1alpha1.Contact{Name: "Jo Doe", Phone: "0400 000 000", Email: "jo@example.com"},
				}
			}),
		},
		{
			name: "aggregation", operation: carrier.AggregationConversion,
			effects: modified(carrier.AggregationConversion),
			declare: serviceFor(asSold, func(s *v1alpha1.BroadbandServiceSpec) { s.AggregationMethod = "ETHERNET" }),
		},
		{
			name: "dsl", operation: carrier.DSLStabilityProfileChange,
			effects: modified(carrier.DSLStabilityProfileChange),
			declare: serviceFor(copper, func(s *v1alpha1.BroadbandServiceSpec) { s.DSLStabilityProfile = "Stable" }),
		},
		{
			name: "reclaim", operation: carrier.Reclaim, effects: modified(carrier.Reclaim),
			declare: serviceFor(cancelled, func(s *v1alpha1.BroadbandServiceSpec) {
				s.Disconnection = v1alpha1.DisconnectionReclaim
			}),
		},
	}
}

func asSold(*simulator.Service) {}

// cancellations change the day on which a service ends.
func cancellations() []*kind {
	ending := func(s *simulator.Service) {
		s.Cancellation = &simulator.Cancellation{Status: "REQUESTED", RequestDate: "2098-06-30"}
	}
	return []*kind{
		{
			name: "reschedule", operation: carrier.CancellationReschedule,
			effects: modified(carrier.CancellationReschedule),
			declare: serviceFor(ending, func(s *v1alpha1.BroadbandServiceSpec) {
				s.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: "2099-01-31"}
			}),
		},
		{
			name: "abort", operation: carrier.CancellationAbort, effects: modified(carrier.CancellationAbort),
			declare: serviceFor(ending, func(s *v1alpha1.BroadbandServiceSpec) {
				s.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
			}),
		},
	}
}

// oneShots make one request.
func oneShots() []*kind {
	return []*kind{
		{
			name: "order", operation: carrier.OrderCreate,
			effects: []effect{
				ledgers(effectIntent, http.MethodPost), posts(effectPOST, carrier.OrderCreate),
				ledgers(effectAccepted, http.MethodPut), ended(carrier.OrderCreate),
			},
			declare: func(l *lane, name string) (subject, string) { return l.Order(name, name), name },
		},
		{
			name: "test", operation: carrier.DiagnosticTest, effects: tested(carrier.DiagnosticTest),
			declare: func(l *lane, name string) (subject, string) {
				id := l.Line()
				return l.Test(name, id), strconv.FormatInt(id, 10)
			},
		},
		{
			name: "slots", operation: carrier.AppointmentSlots,
			effects: []effect{
				holds(), posts(effectPOST, carrier.AppointmentSlots), polls(carrier.AppointmentSlots),
				accepted(carrier.AppointmentSlots),
				ended(carrier.AppointmentSlots),
			},
			declare: appointment,
		},
		{
			name: "cancel", operation: carrier.AppointmentCancel,
			effects: []effect{
				intended(carrier.AppointmentCancel),
				posts(effectPOST, carrier.AppointmentCancel),
				ended(carrier.AppointmentCancel),
			},
			declare: appointment, trigger: triggerCancel,
		},
	}
}

// queries change nothing.
func queries() []*kind {
	options := func(l *lane, name string) (subject, string) {
		id := l.Line()
		return l.Query(name, id), strconv.FormatInt(id, 10)
	}
	check := func(l *lane, name string) (subject, string) {
		id := l.Line()
		return l.Check(name, id), strconv.FormatInt(id, 10)
	}
	quote := func(l *lane, name string) (subject, string) {
		at := l.nextLocation()
		return l.Quote(name, at), at
	}
	return []*kind{
		{name: "options", operation: carrier.PlanOptions, effects: tracked(carrier.PlanOptions), declare: options},
		{name: "check", operation: carrier.Health, effects: tracked(carrier.Health), declare: check},
		{name: "quote", operation: carrier.FibreBuildCharge, effects: tracked(carrier.FibreBuildCharge), declare: quote},
	}
}

// appointment queries slots of an order that no other change is about.
func appointment(l *lane, name string) (object subject, mark string) {
	order := l.nextOrder()
	return l.Appointment(name, func(a *v1alpha1.AppointmentRequest) {
		a.Spec.OrderID, a.Spec.DateFrom = v1alpha1.CarrierIDOf(order), "2099-01-05"
	}), strconv.FormatInt(order, 10)
}
