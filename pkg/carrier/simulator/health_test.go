package simulator_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// healthOf requests the health of a service and waits for it.
func (h *harness) healthOf(service int64) response {
	h.t.Helper()
	outcome := h.post(health, serviceBody(service)).created()
	h.wait(10 * time.Second)
	return h.get(outcome).is(http.StatusOK)
}

// TestHealthHasEveryFieldOfItsTable compares the result with the table of spec §2.
func TestHealthHasEveryFieldOfItsTable(t *testing.T) {
	h := start(t)
	document := h.healthOf(fttp).json()
	want := []string{
		"avcId", "currentCondition", "errorDetail", "healthCategories", "hriId", "id", "indicator", "lastRefreshedOn",
		"locId", "nextAction", "plan", "priId", "requestedById", "requestedOn", "status", "technologyType",
		"wholesaleServiceId",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(document))); diff != "" {
		t.Error(diff)
	}
	delete(document, "id")
	values := map[string]any{"plan": "Basic", "status": "COMPLETED", "technologyType": "FTTP", "locId": "LOC000001000001"}
	for name, value := range values {
		if document[name] != value {
			t.Errorf("%s is %v, want %v", name, document[name], value)
		}
	}
	if document["requestedById"] != json.Number("7") || document["errorDetail"] != nil {
		t.Errorf("%v", document)
	}
}

// TestOneHealthRequestAtATime refuses a second request of the same service until the first has ended.
func TestOneHealthRequestAtATime(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.OneHealthRequest = true })
	h.post(health, serviceBody(fttp)).created()
	h.post(health, serviceBody(fttp)).
		refusedWith(422, "validation", "constraints.service.health.request.in.progress serviceId")
	h.post(health, serviceBody(copper)).created()
	h.wait(10 * time.Second)
	h.post(health, serviceBody(fttp)).created()
}

// TestHealthOfVersion5 checks the path, the names and the 202 body that only version 5 has.
func TestHealthOfVersion5(t *testing.T) {
	h := start(t)
	outcome := h.atVersion("5", http.MethodPost, health, serviceBody(fttp)).created()
	if !strings.HasPrefix(outcome, "/api/connect/services/health/request/") {
		t.Errorf("version 5 is polled at %s", outcome)
	}
	h.atVersion("6", http.MethodGet, outcome, "").is(http.StatusBadRequest)
	pending := h.atVersion("5", http.MethodGet, outcome, "").is(http.StatusAccepted).json()
	want := []string{
		"avcId", "currentCondition", "errorDetail", "healthCategory", "hriId", "id", "indicators", "lastRefreshedOn",
		"locId", "nextAction", "plan", "priId", "requestedById", "requestedOn", "serviceStatus", "technologyType",
		"wholesaleServiceId",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(pending))); diff != "" {
		t.Error(diff)
	}
	if pending["serviceStatus"] != "OPEN" || pending["plan"] != nil || pending["indicators"] != nil {
		t.Errorf("%v", pending)
	}
	h.wait(10 * time.Second)
	done := h.atVersion("5", http.MethodGet, outcome, "").is(http.StatusOK)
	if done.text("plan") != "Basic" || done.text("indicators", "connectivityIndicator") != "Green" {
		t.Error(done.body)
	}
}

// TestHealthIsTheServiceAtTheTimeOfCompletion reads an old result after the plan has changed.
func TestHealthIsTheServiceAtTheTimeOfCompletion(t *testing.T) {
	h := start(t)
	early := h.post(health, serviceBody(fttp)).created()
	h.wait(11 * time.Second)
	if err := h.sim.SetPlan(fttp, "Shouty"); err != nil {
		t.Fatal(err)
	}
	late := h.healthOf(fttp)
	if got := h.get(early); got.text("plan") != "Basic" || got.text("lastRefreshedOn") != "2026-11-20T10:00:10Z" {
		t.Error(got.body)
	}
	if late.text("plan") != "SHOUTY" { // as health spells it
		t.Error(late.body)
	}
}

// TestAHealthRequestThatFails checks the failure of a health request.
func TestAHealthRequestThatFails(t *testing.T) {
	h := start(t)
	outcome := h.post(health, serviceBody(unhealthy)).created()
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(http.StatusUnprocessableEntity, "validation",
		"constraints.service.health.request.status.in.error status")
}

// TestAServiceWithoutAnAVC checks the null that spec §2 allows.
func TestAServiceWithoutAnAVC(t *testing.T) {
	unset := ""
	h := start(t, func(s *simulator.Seed) { s.Services[0].AVCID = &unset })
	if got := h.healthOf(fttp).json(); got["avcId"] != nil {
		t.Errorf("avcId is %v", got["avcId"])
	}
}
