package simulator_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// eventStory is a call and the events that it causes, in both forms.
type eventStory struct {
	edit            func(*simulator.Seed)
	path, body      string
	specified, seen []string
}

func eventStories() map[string]eventStory {
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
	return map[string]eventStory{
		"aggregation modified": {
			nil, aggregation, convert(fttp), one("ServiceAggregationModified"), one("service.aggregation-modified"),
		},
		"aggregation failed": {
			ends("AggregationConversion", simulator.OutcomeFails), aggregation, convert(fttp),
			one("ServiceAggregationModificationFailed"), one("service.aggregation-modification-failed"),
		},
		"profile changed": {
			nil, profile, stabilize(fttp), one("ServiceDslStabilityProfileChanged"),
			one("service.dsl-stability-profile-changed"),
		},
		"profile rejected": {
			ends("DSLStabilityProfileChange", simulator.OutcomeFails), profile, stabilize(fttp),
			[]string{},
			one("service.dsl-stability-profile-change-rejected"),
		},
		"plan changed": {nil, planChange, changeTo(fttp, "Fast", 1), one("ServicePlanChanged"), one("service.plan-changed")},
		"plan rejected": {
			nil, planChange, changeTo(fttp, "Doomed", 1), one("ServicePlanChangeRejected"),
			one("service.plan-change-rejected"),
		},
		"SLA changed": {
			nil, planChange, sla, one("ServiceRestorationSlaChanged"), one("service.restoration-sla-changed"),
		},
		"SLA rejected": {
			ends("PlanChange", simulator.OutcomeFails), planChange, sla,
			[]string{},
			one("service.restoration-sla-change-rejected"),
		},
		"plan and SLA changed": {
			nil, planChange, both,
			[]string{"ServicePlanChanged", "ServiceRestorationSlaChanged"},
			[]string{"service.plan-changed", "service.restoration-sla-changed"},
		},
		"nothing changed": {
			nil, planChange, changeTo(fttp, "Basic", 12), one("ServicePlanChanged"), one("service.plan-changed"),
		},
		"plan changed, and the deprecated name": {
			deprecated, planChange, changeTo(fttp, "Fast", 1),
			[]string{"ServicePlanChanged", "ServiceModified"},
			[]string{"service.plan-changed", "service.modified"},
		},
		"plan rejected, and the deprecated name": {
			refusedPlan, planChange, changeTo(fttp, "Fast", 1),
			[]string{"ServicePlanChangeRejected", "ServiceModificationRejected"},
			one("service.plan-change-rejected"),
		},
		"reclaimed":      {nil, reclaims, about(gone), one("ServiceReclaimActivated"), one("service.reclaim-activated")},
		"reclaim failed": {reclaimFails, reclaims, about(gone), []string{}, one("service.reclaim-failed")},
		"order rejected": {
			nil, orders, onPort(2, takeOver("SERVICE_TRANSFER", "AVC1")), one("OrderRejected"), one("order.rejected"),
		},
		"order taken over": {
			nil, orders, onPort(3, takeOver("SERVICE_TRANSFER", "AVC000001000001")), []string{}, one("service.cancelled"),
		},
		"cancellation today": {nil, rescheduling, moveTo(leaving, "2026-11-20"), []string{}, one("service.cancelled")},
		"health":             {nil, health, about(fttp), []string{}, []string{}},
	}
}

// TestEventsOfEveryKind runs each scenario in both forms.
func TestEventsOfEveryKind(t *testing.T) {
	for name, story := range eventStories() {
		t.Run(name, func(t *testing.T) {
			story.leadsTo(t, simulator.EventsOfSpecification, story.specified)
			story.leadsTo(t, simulator.EventsInHeaders, story.seen)
		})
	}
}

// leadsTo runs the scenario, compares the events and returns what was delivered.
func (e eventStory) leadsTo(tb testing.TB, form simulator.EventForm, want []string) []string {
	tb.Helper()
	edits := []func(*simulator.Seed){sendsTo(newInbox(tb), form)}
	if e.edit != nil {
		edits = append(edits, e.edit)
	}
	w := start(tb, edits...)
	w.post(e.path, e.body)
	w.wait(10 * time.Second)
	w.deliver(len(want))
	if diff := cmp.Diff(want, w.names()); diff != "" {
		tb.Error(diff)
	}
	return w.names()
}

// TestMixedFormsTakeTurns sends each event in the form that has a name for it.
func TestMixedFormsTakeTurns(t *testing.T) {
	w := start(t, sendsTo(newInbox(t), simulator.EventsMixed))
	w.post(planChange, withSLA("Fast", "Enhanced - 12 (24/7)")).created()
	w.wait(10 * time.Second)
	w.deliver(2)
	// The first announced event is the cancellation of the seed, which is in the future.
	if diff := cmp.Diff([]string{"service.plan-changed", "ServiceRestorationSlaChanged"}, w.names()); diff != "" {
		t.Error(diff)
	}
}
