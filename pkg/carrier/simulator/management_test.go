package simulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// manage calls the management interface.
func (w *world) manage(method, path, body string) answer {
	w.t.Helper()
	request := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	recorder := httptest.NewRecorder()
	w.sim.Management().ServeHTTP(recorder, request)
	return answer{t: w.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// TestManagementDoesWhatTheMethodsDo sends each command once.
func TestManagementDoesWhatTheMethodsDo(t *testing.T) {
	w := start(t)
	commands := map[string]string{
		"/_sim/plan":          `{"serviceId":1000001,"plan":"Fast"}`,
		"/_sim/health":        `{"serviceId":1000001,"health":{"summary":"line cut","connectivity":"Red"}}`,
		"/_sim/cancellation":  `{"serviceId":1000001,"cancellation":{"status":"IN_ERROR","requestDate":"2026-12-01"}}`,
		"/_sim/services":      `{"id":43,"client":"reseller","plan":"Fast"}`,
		"/_sim/faults":        `{"target":"Health","kind":"Status","status":500}`,
		"/_sim/advance":       `{"by":"1h"}`,
		"/_sim/forget":        ``,
		"/_sim/revoke-tokens": ``,
	}
	for path, content := range commands {
		w.manage(http.MethodPost, path, content).is(http.StatusNoContent)
	}
	service, _ := w.sim.Service(fttp)
	if service.Plan != "Fast" || service.Health.Connectivity != "Red" || service.Cancellation.Status != "IN_ERROR" {
		t.Errorf("%+v", service)
	}
	w.get(cancellation(fttp)).is(http.StatusUnauthorized)
	if w.sim.Armed() != 1 {
		t.Error("no fault is armed")
	}
	w.manage(http.MethodDelete, "/_sim/faults", "").is(http.StatusNoContent)
	if w.sim.Armed() != 0 {
		t.Error("a fault is armed")
	}
}

// TestManagementShows reads everything that can be read.
func TestManagementShows(t *testing.T) {
	w := start(t)
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.get("/nowhere")
	var calls []simulator.Call
	shown := w.manage(http.MethodGet, "/_sim/calls?last=2", "").is(http.StatusOK)
	if err := json.Unmarshal([]byte(shown.body), &calls); err != nil || len(calls) != 2 || calls[1].Path != "/nowhere" {
		t.Errorf("%v: %s", err, shown.body)
	}
	contains := map[string]string{
		"/_sim/violations": `"rule":"Path"`, "/_sim/services": `"id":1000002`, "/_sim/services/1000001": `"plan":"Basic"`,
		"/_sim/submissions/PlanChange?subject=1000001": `{"seen":1,"processed":1}`,
	}
	for path, want := range contains {
		if got := w.manage(http.MethodGet, path, "").is(http.StatusOK); !strings.Contains(got.body, want) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	w.manage(http.MethodGet, "/_sim/services/1", "").is(http.StatusNotFound)
}

// TestManagementRefusesNonsense sends commands that cannot be carried out.
func TestManagementRefusesNonsense(t *testing.T) {
	w := start(t)
	for path, content := range map[string]string{
		"/_sim/plan": `{"serviceId":1,"plan":"Fast"}`, "/_sim/faults": `{"target":"Health","kind":"Bang"}`,
		"/_sim/advance": `{"by":"soon"}`, "/_sim/services": `{"id":43,"client":"nobody"}`, "/_sim/keys": `{"hue":1}`,
	} {
		w.manage(http.MethodPost, path, content).is(http.StatusBadRequest)
	}
}
