// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// forLost makes a request stand for what may have been sent before a status was lost.
func forLost(r *v1alpha1.Request) { r.Target = v1alpha1.RequestTarget{} }

// When two managers lead, one may hold a reading from before a change that the other made.
func TestAReadingFromBeforeAChangeIsIgnored(t *testing.T) {
	t.Parallel()
	const before, after = -time.Second, 2 * time.Second // of the second in which the request ended
	for name, test := range map[string]struct {
		request func(*services.Input)
		asked   time.Duration
		want    string
	}{
		"requested before the change":                         {with(v1alpha1.PhaseSucceeded), before, ""},
		"requested in the second in which it ended":           {with(v1alpha1.PhaseSucceeded), 0, ""},
		"read after it":                                       {with(v1alpha1.PhaseSucceeded), after, "LOC000000000001"},
		"requested before a failed change":                    {with(v1alpha1.PhaseFailed), before, "LOC000000000001"},
		"requested before it was known that a status is lost": {with(v1alpha1.PhaseSucceeded, forLost), before, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(test.request, read("Fast", test.asked))
			view.Memory.Readings.Health.Health.LocationID = "LOC000000000001"
			services.UpdateState(&view)
			if got := view.Service.Status.Carrier.LocationID; got != test.want {
				t.Errorf("the location is taken to be %q, want %q", got, test.want)
			}
		})
	}
}

// A person has resolved as succeeded everything that was sent before the ledger was lost. Values
// that no read returns are taken as declared; the others are read.
func TestUnreadableValuesAreRecordedAsDeclared(t *testing.T) {
	t.Parallel()
	service := settled().Service
	service.Spec.RestorationSLA, service.Spec.AggregationMethod = "Enhanced-8", "ETHERNET"
	service.Spec.DSLStabilityProfile = "Stable"
	services.ApplyDeclared(service, decidetest.Start().Add(time.Second))
	state := service.Status.Carrier
	if state.Plan != nil || state.Cancellation != nil {
		t.Errorf("what can be read is taken to be %+v and %+v", state.Plan, state.Cancellation)
	}
	for want, known := range map[string]*v1alpha1.KnownValue{
		"12": state.Term, "Enhanced-8": state.RestorationSLA, "ETHERNET": state.AggregationMethod,
		"Stable": state.DSLStabilityProfile,
	} {
		if known == nil || known.Value != want || known.Source != v1alpha1.SourceDeclared {
			t.Errorf("%s is %+v", want, known)
		}
	}
}
