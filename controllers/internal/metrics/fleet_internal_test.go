// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

// An attempt stays Submitting while its outcome is verified after a lost response. The alert
// BroadbandRequestNotAnswered is about attempts without any record since their intent.
func TestALostResponseIsCountedApartFromARecordedIntent(t *testing.T) {
	t.Parallel()
	plan, order := v1alpha1.OperationPlanChange, v1alpha1.OperationOrderCreate
	lost := &v1alpha1.RequestError{Message: "connection reset by peer"}
	service := &v1alpha1.BroadbandService{}
	service.Status.Requests = []v1alpha1.Request{
		{Operation: plan, Phase: v1alpha1.PhaseSubmitting, SubmittedAt: at(time.Minute)},
		{Operation: plan, Phase: v1alpha1.PhaseSubmitting, SubmittedAt: at(20 * time.Minute), Error: lost},
		{Operation: order, Phase: v1alpha1.PhaseInProgress, SubmittedAt: at(time.Hour), Error: lost},
	}
	fleet := NewFleet(noon)
	fleet.Add("BroadbandService", service)

	counts, registry := registered(t)
	before := scrape.PageOf(t, registry)
	counts.State.ReadWith(func() *Fleet { return fleet })
	want := map[string]float64{
		`broadband_objects{kind="BroadbandService",ready="Unknown",reason="None"}`: 1,

		`broadband_requests_open{operation="PlanChange",phase="Submitting"}`:                      1,
		`broadband_requests_open_oldest_age_seconds{operation="PlanChange",phase="Submitting"}`:   60,
		`broadband_requests_open{operation="PlanChange",phase="ResponseLost"}`:                    1,
		`broadband_requests_open_oldest_age_seconds{operation="PlanChange",phase="ResponseLost"}`: 1200,
		`broadband_requests_open{operation="OrderCreate",phase="InProgress"}`:                     1,
		`broadband_requests_open_oldest_age_seconds{operation="OrderCreate",phase="InProgress"}`:  3600,
	}
	if diff := cmp.Diff(want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}
