// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// A request whose response was lost is proven by the plan that health shows. Its other values cannot
// be read: somebody else may have changed the plan, without them.
func TestHealthProvesNothingButThePlan(t *testing.T) {
	t.Parallel()
	const read, trusted, changed = v1alpha1.SourceHealth, v1alpha1.SourceDeclared, v1alpha1.SourceChangeResult
	for _, test := range []struct{ source, ofPlan, ofOthers v1alpha1.ValueSource }{
		{read, read, trusted}, {changed, changed, changed}, {trusted, trusted, trusted},
	} {
		view := settled(with(v1alpha1.PhaseSucceeded, func(r *v1alpha1.Request) { r.Target.RestorationSLA = "Enhanced" }))
		services.ApplyTarget(view.Service, &view.Service.Status.Requests[0], test.source, view.Now)
		known := view.Service.Status.Carrier
		if known.Plan.Source != test.ofPlan || known.Term.Source != test.ofOthers ||
			known.RestorationSLA.Source != test.ofOthers {
			t.Errorf("%s: %+v, %+v, %+v", test.source, known.Plan, known.Term, known.RestorationSLA)
		}
	}
}

// The next reading that shows another name once counted as health's name for the plan, so the service
// was Ready, and each further reading changed the status.
func TestDriftShowsAfterHealthHasProvenAChange(t *testing.T) {
	t.Parallel()
	view := settled(with(v1alpha1.PhaseSucceeded))
	services.ApplyTarget(view.Service, &view.Service.Status.Requests[0], v1alpha1.SourceHealth, view.Now)
	for range 2 {
		view.Now = view.Now.Add(24 * time.Hour)
		view.Memory.Readings.Health = decide.Reading{
			State: decide.ReadingAnswered, Generation: view.Service.Generation, RequestedAt: view.Now,
			Health: carrier.HealthResult{Plan: "Slow"},
		}
		services.UpdateState(&view)
		known := view.Service.Status.Carrier.Plan
		if decision := services.Decide(view); decision.Verdict.Reason != v1alpha1.ReasonDrifted ||
			known.Value != "Slow" || known.AsHealth != "Fast" {
			t.Errorf("%+v: %+v", known, decision.Verdict)
		}
	}
}

// A change that was settled without its result may or may not be visible in the known cancellation.
func TestTheCancellationIsReadAgainAfterAChangeThatItDoesNotShow(t *testing.T) {
	t.Parallel()
	const wanted, other = "2026-12-31", "2026-11-30"
	reclaimed := func(r *v1alpha1.Request) { r.Operation = v1alpha1.OperationReclaim }
	moved := rescheduling(v1alpha1.PhaseSucceeded)
	for name, test := range map[string]struct {
		request func(*services.Input)
		date    string // of the known cancellation
		source  v1alpha1.ValueSource
		known   bool // whether it is known afterwards
	}{
		"shown":                    {moved, wanted, v1alpha1.SourceDeclared, true},
		"not shown":                {moved, other, v1alpha1.SourceDeclared, false},
		"from the result":          {moved, other, v1alpha1.SourceChangeResult, true},
		"of a plan":                {with(v1alpha1.PhaseSucceeded), other, v1alpha1.SourceDeclared, true},
		"of a service got back":    {with(v1alpha1.PhaseSucceeded, reclaimed), other, v1alpha1.SourceChangeResult, false},
		"of a plan, by the result": {with(v1alpha1.PhaseSucceeded), other, v1alpha1.SourceChangeResult, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(test.request, endsOn(carrier.CancellationRequested, test.date))
			request := view.Service.Status.Requests[0]
			services.ApplyTarget(view.Service, &request, test.source, view.Now)
			if got := view.Service.Status.Carrier.Cancellation; (got != nil) != test.known {
				t.Errorf("the cancellation is known to be %+v, want it known: %t", got, test.known)
			}
		})
	}
}
