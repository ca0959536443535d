// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
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
		differs         string // how the result differs; "": it does not
		plan, term, now string // known afterwards; "": not known
	}{
		"as requested":        {"", asked, "", "Fast", "12", ""},
		"a term in words":     {"", `"plan":{"plan":"fast ","term":"12 months"}`, "", "Fast", "12", ""},
		"it contains the SLA": {"", asked + `,"sla":{"sla":"Gold"}`, "", "Fast", "12", "Gold"},
		"it is empty":         {"Gold", `"plan":{}`, "", "Fast", "12", "Gold"},
		"it cannot be read":   {"Gold", `"plan":7`, "", "Fast", "12", "Gold"},
		"another plan": {
			"Gold", `"plan":{"plan":"Slow"},"sla":{"sla":"Gold"}`,
			`plan "Slow" instead of "Fast"`, "Slow", "", "Gold",
		},
		"another spelling": {
			"", `"plan":{"plan":"Fast (FTTP)","term":"12"}`,
			`plan "Fast (FTTP)" instead of "Fast"`, "Fast (FTTP)", "12", "",
		},
		"another term": {
			"", `"plan":{"plan":"Fast","term":"24"}`,
			`term "24" instead of "12"`, "Fast", "24", "",
		},
		"another SLA": {
			"Gold", asked + `,"sla":{"sla":"Silver"}`,
			`restoration SLA "Silver" instead of "Gold"`, "Fast", "12", "Silver",
		},
		"another plan and term": {
			"Gold", `"plan":{"plan":"Slow","term":"24"}`,
			`plan "Slow" instead of "Fast", term "24" instead of "12"`, "Slow", "24", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
			request := &v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, Location: "/api/connect/services/plan-changes/requests/5",
				Phase: v1alpha1.PhaseSucceeded, Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12, RestorationSLA: test.sla},
			}
			body := fmt.Sprintf(`{"id":5,"serviceId":7,"status":"COMPLETED",%s}`, test.result)
			if failed := services.Finish(service, request, []byte(body), decidetest.Start(), time.UTC); failed != nil {
				t.Errorf("it has not succeeded: %+v", failed)
			}
			if differs := decide.ResultDiffers(request); differs != (test.differs != "") ||
				differs && request.Error.Message != "the carrier's result shows "+test.differs {
				t.Errorf("it differs: %+v, want %q", request.Error, test.differs)
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
	state.Term = services.TermOfPlan(*state)
	return [3]string{state.Plan.ValueOrEmpty(), state.Term.ValueOrEmpty(), state.RestorationSLA.ValueOrEmpty()}
}

// What the carrier has ended is final (R14): a result that is read once more does not change the
// phase.
func TestReadingAResultOnceMoreDoesNotFailTheRequest(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
	request := &v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Location: "/api/connect/services/plan-changes/requests/5",
		Phase: v1alpha1.PhaseSucceeded, EndedBy: v1alpha1.EndedByCarrier,
		Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12},
	}
	for result, plan := range map[string]string{`"plan":{"plan":"Slow"}`: "Slow", `"status":"FAILED"`: "Fast"} {
		body := fmt.Appendf(nil, `{"id":5,"serviceId":7,%s}`, result)
		if failed := services.Finish(service, request, body, decidetest.Start(), time.UTC); failed != nil {
			t.Errorf("%s: %+v", result, failed)
		}
		if known := service.Status.Carrier.Plan.ValueOrEmpty(); known != plan {
			t.Errorf("%s: the plan is taken to be %q", result, known)
		}
	}
}

// The value that a result states is known. A result without one stands for what was requested.
func TestTheResultOfEachOperationIsCompared(t *testing.T) {
	t.Parallel()
	conversion := v1alpha1.Request{
		Operation: v1alpha1.OperationAggregationConversion, Target: v1alpha1.RequestTarget{AggregationMethod: "ETHERNET"},
		Location: "/api/connect/services/aggregation-conversions/requests/5",
	}
	profile := v1alpha1.Request{
		Operation: v1alpha1.OperationDSLStabilityProfileChange, Target: v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"},
		Location: "/api/connect/services/dsl-stability-profile-changes/requests/5",
	}
	for _, test := range []struct {
		request       v1alpha1.Request
		result, known string
		differs       string
	}{
		{conversion, ``, "ETHERNET", ""},
		{conversion, `,"convertTo":"ethernet"`, "ETHERNET", ""},
		{conversion, `,"convertTo":"L2TP"`, "L2TP", `aggregation method "L2TP" instead of "ETHERNET"`},
		{profile, ``, "Stable", ""},
		{profile, `,"dslStabilityProfile":"Stable"`, "Stable", ""},
		{profile, `,"dslStabilityProfile":"Standard"`, "Standard", `DSL stability profile "Standard" instead of "Stable"`},
	} {
		service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
		request := test.request
		request.Phase = v1alpha1.PhaseSucceeded
		body := fmt.Appendf(nil, `{"id":5,"serviceId":7,"status":"COMPLETED"%s}`, test.result)
		if failed := services.Finish(service, &request, body, decidetest.Start(), time.UTC); failed != nil {
			t.Errorf("%s: %+v", body, failed)
		}
		if differs := decide.ResultDiffers(&request); differs != (test.differs != "") ||
			differs && request.Error.Message != "the carrier's result shows "+test.differs {
			t.Errorf("%s: %+v, want %q", body, request.Error, test.differs)
		}
		held := service.Status.Carrier.AggregationMethod
		if request.Operation == profile.Operation {
			held = service.Status.Carrier.DSLStabilityProfile
		}
		if held.ValueOrEmpty() != test.known || held.Source != v1alpha1.SourceChangeResult {
			t.Errorf("%s: known is %+v, want %q", body, held, test.known)
		}
	}
}
