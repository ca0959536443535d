package simulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// manage calls the management interface.
func (h *harness) manage(method, path, body string) response {
	h.t.Helper()
	request := httptest.NewRequestWithContext(h.t.Context(), method, path, strings.NewReader(body))
	recorder := httptest.NewRecorder()
	h.sim.Management().ServeHTTP(recorder, request)
	return response{t: h.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// TestManagementCommands sends each command once.
func TestManagementCommands(t *testing.T) {
	h := start(t)
	commands := map[string]string{
		"/_sim/plan":             `{"serviceId":1000001,"plan":"Fast"}`,
		"/_sim/health":           `{"serviceId":1000001,"health":{"summary":"line cut","connectivity":"Red"}}`,
		"/_sim/cancellation":     `{"serviceId":1000001,"cancellation":{"status":"IN_ERROR","requestDate":"2026-12-01"}}`,
		"/_sim/modification":     `{"serviceId":1000001,"operation":"PlanChange","for":"1s","plan":"Fast"}`,
		"/_sim/service-read-lag": `{"lag":"5s"}`,
		"/_sim/services":         `{"id":43,"client":"reseller","plan":"Fast"}`,
		"/_sim/faults":           `{"target":"Health","kind":"Status","status":500}`,
		"/_sim/advance":          `{"by":"1h"}`,
		"/_sim/forget":           ``,
		"/_sim/revoke-tokens":    ``,
	}
	for path, content := range commands {
		h.manage(http.MethodPost, path, content).is(http.StatusNoContent)
	}
	service, _ := h.sim.Service(fttp)
	if service.Plan != "Fast" || service.Health.Connectivity != "Red" || service.Cancellation.Status != "IN_ERROR" {
		t.Errorf("%+v", service)
	}
	h.get(cancellation(fttp)).is(http.StatusUnauthorized)
	if h.sim.Armed() != 1 {
		t.Error("no fault is armed")
	}
	h.manage(http.MethodDelete, "/_sim/faults", "").is(http.StatusNoContent)
	if h.sim.Armed() != 0 {
		t.Error("a fault is armed")
	}
}

// TestManagementReads reads the calls, the violations, the services and the submissions.
func TestManagementReads(t *testing.T) {
	h := start(t)
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.get("/nowhere")
	var calls []simulator.Call
	shown := h.manage(http.MethodGet, "/_sim/calls?last=2", "").is(http.StatusOK)
	if err := json.Unmarshal([]byte(shown.body), &calls); err != nil || len(calls) != 2 || calls[1].Path != "/nowhere" {
		t.Errorf("%v: %s", err, shown.body)
	}
	contains := map[string]string{
		"/_sim/violations": `"rule":"Path"`, "/_sim/services": `"id":1000002`, "/_sim/services/1000001": `"plan":"Basic"`,
		"/_sim/submissions/PlanChange?subject=1000001": `{"seen":1,"processed":1}`,
	}
	for path, want := range contains {
		if got := h.manage(http.MethodGet, path, "").is(http.StatusOK); !strings.Contains(got.body, want) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	h.manage(http.MethodGet, "/_sim/services/1", "").is(http.StatusNotFound)
}

// TestManagementRefusesInvalidCommands sends commands that cannot be carried out.
func TestManagementRefusesInvalidCommands(t *testing.T) {
	h := start(t)
	for path, content := range map[string]string{
		"/_sim/plan": `{"serviceId":1,"plan":"Fast"}`, "/_sim/faults": `{"target":"Health","kind":"Bang"}`,
		"/_sim/advance": `{"by":"soon"}`, "/_sim/services": `{"id":43,"client":"nobody"}`, "/_sim/keys": `{"hue":1}`,
	} {
		h.manage(http.MethodPost, path, content).is(http.StatusBadRequest)
	}
}

// TestThePageCallsOnlyWhatIsServed follows the addresses that the script of the page uses.
func TestThePageCallsOnlyWhatIsServed(t *testing.T) {
	h := start(t)
	page := h.manage(http.MethodGet, "/_sim/", "").is(http.StatusOK)
	for call, body := range map[string]string{
		`fetch("overview")`:  "",
		`"POST", "faults"`:   `{"target":"POST PlanChange","kind":"Reset","processed":true}`,
		`"DELETE", "faults"`: "",
		`"POST", "advance"`:  `{"by":"10m"}`,
	} {
		if !strings.Contains(page.body, call) {
			t.Errorf("the page does not contain %s", call)
		}
		method, name, found := strings.Cut(strings.Trim(call, `"`), `", "`)
		if !found {
			method, name = http.MethodGet, "overview"
		}
		if got := h.manage(method, "/_sim/"+name, body); got.status >= http.StatusBadRequest {
			t.Errorf("%s: %d %s", call, got.status, got.body)
		}
	}
}

func TestOverviewShowsTheStateOfTheCarrier(t *testing.T) {
	h := start(t)
	created := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.get("/nowhere")
	h.manage(http.MethodPost, "/_sim/faults", `{"target":"POST PlanChange","kind":"Reset"}`).is(http.StatusNoContent)
	seen := h.sim.Overview()
	want := []simulator.RequestState{{
		ID: created[strings.LastIndex(created, "/")+1:], Operation: simulator.OpPlanChange,
		Client: "reseller", ServiceID: fttp, Status: "OPEN",
	}}
	for i := range seen.Requests {
		seen.Requests[i].SubmittedAt, seen.Requests[i].DoneAt = time.Time{}, time.Time{}
	}
	if diff := cmp.Diff(want, seen.Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if seen.Calls[0].Path != "/nowhere" || len(seen.Violations) != 1 || len(seen.Services) == 0 {
		t.Errorf("calls: %+v, violations: %+v, services: %+v", seen.Calls, seen.Violations, seen.Services)
	}
	armed := []simulator.ArmedFault{{Fault: simulator.Fault{Kind: simulator.FaultReset}, Target: "POST PlanChange"}}
	if diff := cmp.Diff(armed, seen.Faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	for _, target := range seen.Targets {
		if err := h.sim.FailNext(target, simulator.Fault{Kind: simulator.FaultStatus, Status: 500}); err != nil {
			t.Error(err)
		}
	}
}

// TestAnotherOriginCannotGiveCommands sends what a browser sends for a page of another site.
func TestAnotherOriginCannotGiveCommands(t *testing.T) {
	h := start(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/_sim/forget", http.NoBody)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	h.sim.Management().ServeHTTP(recorder, request)
	if recorder.Code != http.StatusForbidden {
		t.Errorf("a command from another origin was answered with %d", recorder.Code)
	}
}
