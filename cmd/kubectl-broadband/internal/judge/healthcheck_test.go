// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

func TestAHealthCheckShowsWhatTheCarrierFound(t *testing.T) {
	t.Parallel()
	check := &v1alpha1.HealthCheck{Spec: v1alpha1.OneShotSpec{ServiceID: "1234567"}}
	if facts := judge.DetailOf(check, judge.Around{}).Facts; len(facts) != 0 {
		t.Errorf("a check without a result shows %+v", facts)
	}
	check.Status = v1alpha1.HealthCheckStatus{
		CurrentCondition: &v1alpha1.HealthCondition{Status: "Red", AlertMessage: "Loss of signal"},
		NextAction:       &v1alpha1.HealthNextAction{Description: "Check the cable"},
		LastRefreshedOn:  "2026-03-02T20:00:40+11:00",
	}
	check.Record().PutRequest(v1alpha1.Request{Operation: v1alpha1.OperationHealth, Phase: v1alpha1.PhaseSucceeded})
	want := []judge.Fact{
		{Name: "health", Value: "Red; Loss of signal"},
		{Name: "next action", Value: "Check the cable"},
		{Name: "measured", Value: "2026-03-02T20:00:40+11:00"},
	}
	if facts := judge.DetailOf(check, judge.Around{}).Facts; !slices.Equal(facts, want) {
		t.Errorf("it shows %+v, want %+v", facts, want)
	}
	if requests := judge.RequestsOf(check); len(requests) != 1 {
		t.Errorf("it shows the requests %+v", requests)
	}
	if match := judge.Find(check, "1234567"); match == nil || !match.Exact || match.Field != "service" {
		t.Errorf("by its service it is found as %+v", match)
	}
}
