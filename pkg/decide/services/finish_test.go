// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

func TestTheRequestedDayIsInTheAccountsTimeZone(t *testing.T) {
	t.Parallel()
	sydney, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Fatal(err)
	}
	for written, want := range map[string]string{
		"2026-06-30":                "2026-06-30",
		"2026-06-29T14:00:00Z":      "2026-06-30",
		"2026-06-29T13:59:59Z":      "2026-06-29",
		"2026-06-30T00:00:00+10:00": "2026-06-30",
		"soon":                      "soon",
		"":                          "",
	} {
		var service v1alpha1.BroadbandService
		found := carrier.Cancellation{Status: carrier.CancellationRequested, RequestDate: written}
		services.RecordCancellation(&service, found, decidetest.Start(), sydney)
		if got := service.Status.Carrier.Cancellation.RequestDate; got != want {
			t.Errorf("%q is taken to be %q, want %q", written, got, want)
		}
	}
}

func TestTheResultOfAPlanChangeIsRecorded(t *testing.T) {
	t.Parallel()
	const asked = `"plan":{"plan":"Fast","term":"12"}`
	for name, test := range map[string]struct {
		sla, result     string // the requested SLA, and the result
		done            bool
		plan, term, now string // known afterwards; "": not known
	}{
		"as requested":          {"", asked, true, "Fast", "12", ""},
		"a term in words":       {"", `"plan":{"plan":"fast ","term":"12 months"}`, true, "Fast", "12", ""},
		"it contains the SLA":   {"", asked + `,"sla":{"sla":"Gold"}`, true, "Fast", "12", "Gold"},
		"it is empty":           {"Gold", `"plan":{}`, true, "Fast", "12", "Gold"},
		"it cannot be read":     {"Gold", `"plan":7`, true, "Fast", "12", "Gold"},
		"another plan":          {"Gold", `"plan":{"plan":"Slow"},"sla":{"sla":"Gold"}`, false, "Slow", "", ""},
		"another term":          {"", `"plan":{"plan":"Fast","term":"24"}`, false, "", "24", ""},
		"another SLA":           {"Gold", asked + `,"sla":{"sla":"Silver"}`, false, "", "", "Silver"},
		"another plan and term": {"", `"plan":{"plan":"Slow","term":"24"}`, false, "Slow", "24", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
			request := &v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, Location: "/api/connect/services/plan-changes/requests/5",
				Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12, RestorationSLA: test.sla},
			}
			body := fmt.Sprintf(`{"id":5,"serviceId":7,%s}`, test.result)
			failed := services.Finish(service, request, []byte(body), decidetest.Start(), time.UTC)
			if done := failed == nil; done != test.done {
				t.Errorf("it has succeeded: %v, want %v (%+v)", done, test.done, failed)
			}
			want := [3]string{test.plan, test.term, test.now}
			if got := knownOf(service); got != want {
				t.Errorf("plan, term and SLA are known to be %q, want %q", got, want)
			}
		})
	}
}

// knownOf returns plan, term and SLA as they are known; "" if unknown.
func knownOf(service *v1alpha1.BroadbandService) [3]string {
	if service.Status.Carrier == nil {
		return [3]string{}
	}
	state := service.Status.Carrier
	return [3]string{state.Plan.ValueOrEmpty(), state.Term.ValueOrEmpty(), state.RestorationSLA.ValueOrEmpty()}
}

// "Succeeded, Failed by Carrier ...: anybody: refused" (R14): a result that is read once more does
// not change the phase.
func TestReadingAResultOnceMoreDoesNotFailTheRequest(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
	request := &v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Location: "/api/connect/services/plan-changes/requests/5",
		Phase: v1alpha1.PhaseSucceeded, EndedBy: v1alpha1.EndedByCarrier,
		Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12},
	}
	for _, result := range []string{`"plan":{"plan":"Slow"}`, `"status":"FAILED"`} {
		body := fmt.Appendf(nil, `{"id":5,"serviceId":7,%s}`, result)
		if failed := services.Finish(service, request, body, decidetest.Start(), time.UTC); failed != nil {
			t.Errorf("%s: %+v", result, failed)
		}
		if plan := service.Status.Carrier.Plan.ValueOrEmpty(); plan != "Fast" {
			t.Errorf("%s: the plan is taken to be %q", result, plan)
		}
	}
}

// The result of a change other than a plan change contains no value, so what was requested counts
// as known.
func TestTheRequestedValueIsKnownFromTheResult(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
	for _, request := range []*v1alpha1.Request{
		{
			Operation: v1alpha1.OperationDSLStabilityProfileChange,
			Target:    v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"},
			Location:  "/api/connect/services/dsl-stability-profile-changes/requests/5",
		},
		{
			Operation: v1alpha1.OperationAggregationConversion,
			Target:    v1alpha1.RequestTarget{AggregationMethod: "ETHERNET"},
			Location:  "/api/connect/services/aggregation-conversions/requests/5",
		},
	} {
		if failed := services.Finish(service, request, []byte(`{"id":5}`), decidetest.Start(), time.UTC); failed != nil {
			t.Errorf("%s: %+v", request.Operation, failed)
		}
	}
	state := service.Status.Carrier
	if state.DSLStabilityProfile.ValueOrEmpty() != "Stable" || state.AggregationMethod.ValueOrEmpty() != "ETHERNET" {
		t.Errorf("known are %v and %v", state.DSLStabilityProfile, state.AggregationMethod)
	}
}
