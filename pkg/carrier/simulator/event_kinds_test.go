package simulator_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// eventScenario is a call and the events that it causes, in both forms.
type eventScenario struct {
	edit                 func(*simulator.Seed)
	path, body           string
	specified, inHeaders []string
}

func eventScenarios() map[string]eventScenario {
	sla := withSLA("Basic", "Enhanced - 12 (24/7)")
	both := withSLA("Fast", "Enhanced - 12 (24/7)")
	one := func(name string) []string { return []string{name} }
	deprecated := func(s *simulator.Seed) { s.Events.Deprecated = true }
	refusedPlan := func(s *simulator.Seed) {
		s.Events.Deprecated, s.Services[0].Outcomes = true, map[string]simulator.Outcome{"PlanChange": simulator.OutcomeFails}
	}
	reclaimFails := func(s *simulator.Seed) {
		s.Services[6].Outcomes = map[string]simulator.Outcome{"Reclaim": simulator.OutcomeFails}
	}
	return map[string]eventScenario{
		"aggregation modified": {
			nil, aggregation, conversionBody(fttp), one("ServiceAggregationModified"), one("service.aggregation-modified"),
		},
		"aggregation failed": {
			withOutcome("AggregationConversion", simulator.OutcomeFails), aggregation, conversionBody(fttp),
			one("ServiceAggregationModificationFailed"), one("service.aggregation-modification-failed"),
		},
		"profile changed": {
			nil, profile, profileBody(fttp), one("ServiceDslStabilityProfileChanged"),
			one("service.dsl-stability-profile-changed"),
		},
		"profile rejected": {
			withOutcome("DSLStabilityProfileChange", simulator.OutcomeFails), profile, profileBody(fttp),
			[]string{},
			one("service.dsl-stability-profile-change-rejected"),
		},
		"plan changed": {
			nil, planChange, planChangeBody(fttp, "Fast", 1), one("ServicePlanChanged"), one("service.plan-changed"),
		},
		"plan rejected": {
			nil, planChange, planChangeBody(fttp, "Doomed", 1), one("ServicePlanChangeRejected"),
			one("service.plan-change-rejected"),
		},
		"SLA changed": {
			nil, planChange, sla, one("ServiceRestorationSlaChanged"), one("service.restoration-sla-changed"),
		},
		"SLA rejected": {
			withOutcome("PlanChange", simulator.OutcomeFails), planChange, sla,
			[]string{},
			one("service.restoration-sla-change-rejected"),
		},
		"plan and SLA changed": {
			nil, planChange, both,
			[]string{"ServicePlanChanged", "ServiceRestorationSlaChanged"},
			[]string{"service.plan-changed", "service.restoration-sla-changed"},
		},
		"nothing changed": {
			nil, planChange, planChangeBody(fttp, "Basic", 12), one("ServicePlanChanged"), one("service.plan-changed"),
		},
		"plan changed, and the deprecated name": {
			deprecated, planChange, planChangeBody(fttp, "Fast", 1),
			[]string{"ServicePlanChanged", "ServiceModified"},
			[]string{"service.plan-changed", "service.modified"},
		},
		"plan rejected, and the deprecated name": {
			refusedPlan, planChange, planChangeBody(fttp, "Fast", 1),
			[]string{"ServicePlanChangeRejected", "ServiceModificationRejected"},
			one("service.plan-change-rejected"),
		},
		"reclaimed": {
			nil, reclaims, serviceBody(cancelledService), one("ServiceReclaimActivated"),
			one("service.reclaim-activated"),
		},
		"reclaim failed": {reclaimFails, reclaims, serviceBody(cancelledService), []string{}, one("service.reclaim-failed")},
		"order rejected": {
			nil, orders, orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC1")), one("OrderRejected"), one("order.rejected"),
		},
		"order taken over": {
			nil, orders, orderOnPort(3, transferFields("SERVICE_TRANSFER", "AVC000001000001")),
			[]string{},
			one("service.cancelled"),
		},
		"cancellation today": {
			nil, rescheduling, rescheduleBody(cancelRequested, "2026-11-20"),
			[]string{},
			one("service.cancelled"),
		},
		"health": {nil, health, serviceBody(fttp), []string{}, []string{}},
	}
}

// TestEventsOfEveryKind runs each scenario in both forms.
func TestEventsOfEveryKind(t *testing.T) {
	for name, scenario := range eventScenarios() {
		t.Run(name, func(t *testing.T) {
			scenario.run(t, simulator.EventsOfSpecification, scenario.specified)
			scenario.run(t, simulator.EventsInHeaders, scenario.inHeaders)
		})
	}
}

// run runs the scenario, compares the events and returns what was delivered.
func (e eventScenario) run(tb testing.TB, form simulator.EventForm, want []string) []string {
	tb.Helper()
	edits := []func(*simulator.Seed){withEventReceiver(newEventReceiver(tb), form)}
	if e.edit != nil {
		edits = append(edits, e.edit)
	}
	h := start(tb, edits...)
	h.post(e.path, e.body)
	h.wait(10 * time.Second)
	h.deliver(len(want))
	if diff := cmp.Diff(want, h.names()); diff != "" {
		tb.Error(diff)
	}
	return h.names()
}

// TestMixedFormsAlternate checks that events alternate between the two forms.
func TestMixedFormsAlternate(t *testing.T) {
	h := start(t, withEventReceiver(newEventReceiver(t), simulator.EventsMixed))
	h.post(planChange, withSLA("Fast", "Enhanced - 12 (24/7)")).created()
	h.wait(10 * time.Second)
	h.deliver(2)
	// Event 1 is the cancellation of the seed, which is not due yet, so the plan change is event 2.
	if diff := cmp.Diff([]string{"service.plan-changed", "ServiceRestorationSlaChanged"}, h.names()); diff != "" {
		t.Error(diff)
	}
}
