package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const (
	aggregation = "/api/connect/services/aggregation-conversions/request"
	profile     = "/api/connect/services/dsl-stability-profile-changes/request"
	fibre       = "/api/connect/ee/fibre-build-charge/request"
	reclaims    = "/api/connect/services/reclaims/request"
	slots       = "/api/connect/orders/appointment-requests/request"
	slotsCancel = "/api/connect/orders/appointment-requests/cancel"
	diagnostics = "/api/connect/services/diagnostic-tests/request"
)

func conversionBody(service int64) string {
	return body(`{"serviceId":%d,"aggregationMethod":"ETHERNET"}`, service)
}

func profileBody(service int64) string {
	return body(`{"serviceId":%d,"dslStabilityProfile":"Stable"}`, service)
}

// withOutcome makes every request of the operation for the FTTP service end with the given outcome.
func withOutcome(operation string, outcome simulator.Outcome) func(*simulator.Seed) {
	return func(s *simulator.Seed) { s.Services[0].Outcomes = map[string]simulator.Outcome{operation: outcome} }
}

// TestAggregationConversion tracks one through its states (spec §3).
func TestAggregationConversion(t *testing.T) {
	h := start(t)
	outcome := h.post(aggregation, conversionBody(fttp)).created()
	want := map[string]any{
		"id": "", "serviceId": json.Number("1000001"), "convertTo": "ETHERNET", "status": "OPEN",
		"requestedOn": "2026-11-20T10:00:00Z", "requestedById": json.Number("7"), "requestedByName": "Ada",
		"requestedByEmail": "ada@example.com", "errorDetail": nil,
	}
	steps := []struct {
		status int
		is     string
	}{{202, "OPEN"}, {202, "IN_PROGRESS"}, {202, "IN_PROGRESS"}, {202, "IN_PROGRESS"}, {200, "COMPLETED"}}
	for _, step := range steps {
		got := h.get(outcome).is(step.status).json()
		got["id"], want["status"] = "", step.is
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		h.wait(2500 * time.Millisecond)
	}
	if service, _ := h.sim.Service(fttp); service.AggregationMethod != "ETHERNET" {
		t.Errorf("the method is %s", service.AggregationMethod)
	}
}

// TestAStalledAggregationConversionContinues stalls one, which then completes (spec §3).
func TestAStalledAggregationConversionContinues(t *testing.T) {
	h := start(t, withOutcome("AggregationConversion", simulator.OutcomeStalls))
	outcome := h.post(aggregation, conversionBody(fttp)).created()
	h.wait(5 * time.Second)
	got := h.get(outcome).is(http.StatusAccepted)
	if got.text("status") != "IN_ERROR" || got.text("errorDetail") == "" {
		t.Error(got.body)
	}
	h.wait(5 * time.Second)
	if got := h.get(outcome).is(http.StatusOK); got.text("errorDetail") == "" { // an earlier error
		t.Error(got.body)
	}
}

// TestAggregationConversionRefused covers the refusals that only this family has.
func TestAggregationConversionRefused(t *testing.T) {
	h := start(t, withOutcome("AggregationConversion", simulator.OutcomeFails))
	h.post(aggregation, conversionBody(notTC4)).
		refusedWith(422, "validation", "constraints.service.not.tc4 technologyType")
	h.post(aggregation, body(`{"serviceId":%d,"aggregationMethod":"PPP"}`, fttp)).
		refusedWith(422, "method.argument.not.valid", "constraints.pattern aggregationMethod")
	outcome := h.post(aggregation, conversionBody(fttp)).created()
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(422, "validation",
		"constraints.service.aggregation.conversion.request.failed status")
	h.get(strings.Replace(outcome, "/90", "/x90", 1)).refusedWith(400, "method.argument.type.mismatch")
	h.atVersion("3", http.MethodPost, aggregation, conversionBody(fttp)).refusedWith(400, "api.version.invalid")
}

// TestProfileChange tracks a DSL stability profile change.
func TestProfileChange(t *testing.T) {
	h := start(t)
	outcome := h.post(profile, profileBody(copper)).created()
	if got := h.get(outcome).is(http.StatusAccepted); got.text("status") != "OPEN" {
		t.Error(got.body)
	}
	h.post(profile, profileBody(copper)).refusedWith(422, "validation",
		"constraints.service.dsl.stability.change.request.in.progress serviceDslStabilityProfileChangeRequest")
	h.post(planChange, planChangeBody(copper, "Fast", 1)).refusedWith(422, "validation",
		"constraints.service.modification.request.in.progress serviceId")
	h.wait(10 * time.Second)
	if got := h.get(outcome).is(http.StatusOK); got.text("dslStabilityProfile") != "Stable" {
		t.Error(got.body)
	}
	if service, _ := h.sim.Service(copper); service.DSLStabilityProfile != "Stable" {
		t.Errorf("the profile is %s", service.DSLStabilityProfile)
	}
}

// TestAProfileChangeInErrorHasFailed: IN_ERROR is final, unlike that of an aggregation conversion.
func TestAProfileChangeInErrorHasFailed(t *testing.T) {
	h := start(t, withOutcome("DSLStabilityProfileChange", simulator.OutcomeFails))
	outcome := h.post(profile, profileBody(fttp)).created()
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(422, "validation",
		"constraints.service.dsl.stability.profile.change.status.in.error status")
}

// TestFibreBuildCharge checks the quote and the interval of spec §8.
func TestFibreBuildCharge(t *testing.T) {
	h := start(t)
	outcome := h.post(fibre, `{"locationId":"`+location+`"}`).created()
	if got := h.get(outcome).is(http.StatusAccepted); got.body != "" {
		t.Errorf("the 202 has a body: %s", got.body)
	}
	h.wait(5 * time.Second)
	h.get(outcome).is(http.StatusAccepted)
	h.expectViolations()
	h.wait(4999 * time.Millisecond)
	h.get(outcome).is(http.StatusAccepted)
	h.expectViolations(simulator.RulePollInterval)
	h.wait(5 * time.Second)
	h.arm("GET FibreBuildCharge", simulator.Fault{Kind: simulator.FaultStatus, Status: 502})
	h.get(outcome).is(http.StatusBadGateway)
	h.get(outcome)
	h.expectViolations(simulator.RulePollInterval, simulator.RulePollInterval)
	h.wait(5 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	if got.find("priceValue") != json.Number("123456") || got.text("priceUnit") != "AUD" ||
		got.text("wholesaleLocationId") != location || got.text("validUntil") != "2027-02-18" {
		t.Error(got.body)
	}
	if count := h.sim.SubmissionsAbout(simulator.OpFibreBuildCharge, location); count.Processed != 1 {
		t.Errorf("counted %+v", count)
	}
}

// TestFibreBuildChargeRefused covers a malformed location and one without a qualification.
func TestFibreBuildChargeRefused(t *testing.T) {
	h := start(t)
	for _, location := range []string{"LOC1", "loc000000000042", location + `\n`} {
		h.post(fibre, `{"locationId":"`+location+`"}`).
			refusedWith(422, "method.argument.not.valid", "constraints.pattern locationId")
	}
	outcome := h.post(fibre, `{"locationId":"LOC000000000001"}`).created()
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(422, "validation", "constraints.fibre.build.charge.request.in.error status")
	h.atVersion("5", http.MethodPost, fibre, `{"locationId":"`+location+`"}`).refusedWith(400, "api.version.invalid")
}

// TestReclaim reclaims a cancelled service.
func TestReclaim(t *testing.T) {
	h := start(t)
	h.post(reclaims, serviceBody(fttp)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.reclaims serviceId")
	h.post(reclaims, serviceBody(foreign)).is(http.StatusNotFound)
	outcome := h.post(reclaims, serviceBody(cancelledService)).created()
	h.get(outcome).is(http.StatusAccepted)
	h.wait(10 * time.Second)
	if got := h.get(outcome).is(http.StatusOK); got.text("status") != "COMPLETED" {
		t.Error(got.body)
	}
	if got := h.get(cancellation(cancelledService)).is(200); got.find("status") != nil || got.find("cancelled") != false {
		t.Error(got.body)
	}
	h.post(planChange, planChangeBody(cancelledService, "Fast", 1)).created()
}

// TestReclaimTooLate requests a reclaim after the last day on which it is possible.
func TestReclaimTooLate(t *testing.T) {
	h := start(t, func(s *simulator.Seed) {
		s.Services[6].Outcomes = map[string]simulator.Outcome{"Reclaim": simulator.OutcomeFails}
	})
	outcome := h.post(reclaims, serviceBody(cancelledService)).created()
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(422, "validation", "constraints.service.reclaim.request.status.in.error status")
	h.sim.Advance(11 * 24 * time.Hour)
	h.post(reclaims, serviceBody(cancelledService)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.reclaims serviceId")
}

// TestAppointmentSlots requests slots and cancels the request.
func TestAppointmentSlots(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.TimeZone = "Australia/Sydney" })
	outcome := h.post(slots, `{"orderId":555,"dateFrom":"2026-12-04"}`).created()
	h.get(outcome).is(http.StatusAccepted)
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	var offered []map[string]any
	if err := json.Unmarshal([]byte(got.body), &offered); err != nil || len(offered) != 15 {
		t.Fatalf("%v: %s", err, got.body)
	}
	expectEverySort(t, offered)
	delete(offered[0], "slotId")
	want := map[string]any{
		"slotType": "AM", "leadTime": "Standard", "startTime": "2026-12-03T21:00:00Z",
		"endTime": "2026-12-04T01:00:00Z", "timezoneOffset": "+11:00", "withinTimeWindow": true,
	}
	if diff := cmp.Diff(want, offered[0]); diff != "" {
		t.Error(diff)
	}
	id := outcome[strings.LastIndex(outcome, "/")+1:]
	for range 2 {
		if got := h.post(slotsCancel, `{"appointmentRequestId":`+id+`}`).is(204); got.header.Get("Location") != "" {
			t.Error(got.header)
		}
	}
}

// expectEverySort checks that slots have every type, lead time and relation to the time window of spec
// §2, and an id each.
func expectEverySort(t *testing.T, offered []map[string]any) {
	t.Helper()
	seen := make(map[string]int)
	for _, slot := range offered {
		for _, name := range []string{"slotType", "leadTime", "withinTimeWindow", "slotId"} {
			seen[fmt.Sprint(slot[name])]++
		}
	}
	for _, sort := range []string{
		"AM", "PM", "AHA", "CA", "Standard", "Accelerated", "PriorityAssist", "Reduced lead time", "true", "false",
	} {
		if seen[sort] == 0 {
			t.Errorf("no slot has %s", sort)
		}
		delete(seen, sort)
	}
	if len(seen) != len(offered) {
		t.Errorf("%d ids of %d slots", len(seen), len(offered))
	}
}

// TestAppointmentSlotsRefused covers missing fields, malformed dates and orders of other clients.
func TestAppointmentSlotsRefused(t *testing.T) {
	h := start(t)
	h.post(slots, `{"orderId":555}`).
		refusedWith(422, "method.argument.not.valid", "constraints.not.null dateFrom")
	h.post(slots, `{"orderId":555,"dateFrom":"2026-02-30"}`).refusedWith(400, "malformed.json.request")
	for _, order := range []string{"556", "1"} {
		h.post(slots, `{"orderId":`+order+`,"dateFrom":"2026-12-04"}`).refusedWith(404, "resource.not.found")
	}
	h.post(slotsCancel, `{"appointmentRequestId":1}`).refusedWith(404, "resource.not.found")
}

func diagnosticBody(service int64, kind string) string {
	return body(`{"serviceId":%d,"testType":%q}`, service, kind)
}

// TestDiagnosticTest runs one.
func TestDiagnosticTest(t *testing.T) {
	h := start(t)
	outcome := h.post(diagnostics, diagnosticBody(fttp, "port-reset")).created()
	h.post(diagnostics, diagnosticBody(fttp, "port-reset")).refusedWith(422, "validation",
		"constraints.service-diagnostic-test-request.in-progress serviceId")
	if got := h.get(outcome).is(http.StatusAccepted); got.body != "" {
		t.Errorf("the 202 has a body: %s", got.body)
	}
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	stages := got.list("result", "status")
	if got.text("testType") != "port-reset" || got.find("result", "is_active") != false || len(stages) != 4 ||
		!strings.HasPrefix(got.text("result", "result", "wholesale_test_id"), "WRI") {
		t.Error(got.body)
	}
	newest := map[string]any{"name": "completed", "reason": nil, "created_at": "2026-11-20T10:00:10"}
	if diff := cmp.Diff(any(newest), stages[0]); diff != "" {
		t.Error(diff)
	}
}

// TestDiagnosticTestRefused covers tests that cannot be run and tests that end badly.
func TestDiagnosticTestRefused(t *testing.T) {
	const prefix = "constraints.service-diagnostic-test-request."
	for outcome, code := range map[simulator.Outcome]string{
		simulator.OutcomeFails: "in-error", simulator.OutcomeTimesOut: "timed-out", simulator.OutcomeStalls: "",
	} {
		h := start(t, withOutcome("DiagnosticTest", outcome))
		path := h.post(diagnostics, diagnosticBody(fttp, "loopback")).created()
		h.wait(10 * time.Second)
		if code == "" {
			h.get(path).is(http.StatusOK)
			continue
		}
		h.get(path).refusedWith(422, "validation", prefix+code+" status")
	}
	h := start(t)
	h.post(diagnostics, diagnosticBody(fttp, "dance")).refusedWith(422, "validation", prefix+"test-type.invalid testType")
	h.post(diagnostics, diagnosticBody(cancelledService, "loopback")).
		refusedWith(422, "validation", "constraints.service.not.active serviceId")
}
