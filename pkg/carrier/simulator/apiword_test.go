package simulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// startWithAPIWord serves a simulator that uses abc in place of wholesale.
func startWithAPIWord(t *testing.T, edits ...func(*simulator.Seed)) *harness {
	t.Helper()
	h := start(t)
	initial := seed()
	for _, edit := range edits {
		edit(&initial)
	}
	h.sim = simulator.New(simulator.Options{Seed: initial, Now: h.clock, APIWord: "abc"})
	h.server.Config.Handler = h.sim.Handler()
	h.token = h.login("reseller")
	return h
}

// TestTheAPIWordReplacesWholesaleInIdentifiers reads the word in each of its forms.
func TestTheAPIWordReplacesWholesaleInIdentifiers(t *testing.T) {
	h := startWithAPIWord(t, withDisruptionsOfEachStatus)
	quote := h.post(fibre, `{"locationId":"`+location+`"}`).created()
	line := h.post(diagnostics, diagnosticBody(fttp, "port-reset")).created()
	changed := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	sorted := fmt.Sprintf("/api/connect/services/%d/disruptions?sort=abcDisruptionId,ASC", fttp)
	ordered := h.post(orders, orderBody(map[string]any{"sourceType": "abc", "ntdInstallation": "abc-dispatch"}))
	for path, got := range map[[2]string]response{
		{"abcLocationId", location}:          h.get(quote),
		{"plan sourceType", "abc"}:           h.get(changed),
		{"provider", "abc"}:                  ordered,
		{"installationType", "abc-dispatch"}: ordered,
		{"customerRef", "SITE-014"}:          ordered,
		{"number", "0"}:                      h.get(sorted),
	} {
		if value := fmt.Sprint(got.find(strings.Fields(path[0])...)); value != path[1] {
			t.Errorf("%s is %s, want %s: %s", path[0], value, path[1], got.body)
		}
	}
	if got := h.get(line); got.find("result", "result", "abc_test_id") == nil || strings.Contains(got.body, "wholesale") {
		t.Error(got.body)
	}
	if got := h.get(sorted).is(http.StatusOK); !strings.Contains(got.body, `"property":"abcDisruptionId"`) {
		t.Error(got.body)
	}
}

// TestWholesaleIsNotUnderstoodWithAnotherAPIWord sends wholesale to a carrier that uses abc.
func TestWholesaleIsNotUnderstoodWithAnotherAPIWord(t *testing.T) {
	h := startWithAPIWord(t)
	got := h.post(orders, orderBody(map[string]any{"sourceType": "abc", "ntdInstallation": "wholesale-tech"}))
	got.refusedWith(422, invalid, "constraints.pattern ntdInstallation")
	if !strings.Contains(got.body, `"rejectedValue":"wholesale-tech"`) {
		t.Error(got.body)
	}
	h.post(orders, orderBody(map[string]any{"sourceType": "wholesale", "ntdInstallation": "abc-tech"})).
		refusedWith(422, invalid, "constraints.pattern sourceType")
}

// TestTheAPIWordDoesNotChangeFreeTextAndPaths uses free texts that begin with the word.
func TestTheAPIWordDoesNotChangeFreeTextAndPaths(t *testing.T) {
	h := startWithAPIWord(t, func(s *simulator.Seed) {
		s.Services[0].Health = simulator.Health{Summary: "wholesale-fault", AlertMessage: "wholesale"}
		s.Plans[1].Name = "wholesale"
	})
	ordered := h.post(orders, orderBody(map[string]any{
		"sourceType": "abc", "ntdInstallation": "abc-tech", "planName": "wholesale", "customerReference": "wholesale-7",
	})).is(http.StatusCreated)
	if ordered.text("customerRef") != "wholesale-7" || ordered.text("bandwidthProfile", "planName") != "wholesale" {
		t.Error(ordered.body)
	}
	outcome := h.post(health, serviceBody(fttp)).created()
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	if got.text("currentCondition", "summary") != "wholesale-fault" ||
		got.text("currentCondition", "alertMessage") != "wholesale" || got.text("abcServiceId") == "" {
		t.Error(got.body)
	}
}

// TestTheAPIWordAppliesToEvents reads an event of a carrier that uses abc.
func TestTheAPIWordAppliesToEvents(t *testing.T) {
	receiver := newEventReceiver(t)
	h := startWithAPIWord(t, withEventReceiver(receiver, ""))
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.deliver(1)
	body := response{t: t, body: receiver.all()[0].body}
	if body.text("service", "abcServiceId") == "" || body.text("service", "sourceType") != "abc" {
		t.Error(body.body)
	}
}
