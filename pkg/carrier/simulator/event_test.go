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

// TestAnEventOfTheSpecification compares every part of one event.
func TestAnEventOfTheSpecification(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, withEventReceiver(receiver, ""))
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.deliver(0) // the request has not ended
	h.wait(10 * time.Second)
	h.deliver(1)
	h.deliver(0) // and it has been delivered
	got := receiver.all()[0]
	body := response{t: t, body: got.body}
	want := map[string]any{
		"eventType": "ServicePlanChanged", "occurredOn": "2026-11-20T10:00:10Z", "orderId": nil,
		"requestId": json.Number(outcome[strings.LastIndex(outcome, "/")+1:]), "serviceId": json.Number("1000001"),
		"service": map[string]any{
			"id": json.Number("1000001"), "sourceType": "wholesale", "technologyType": "FTTP", "trafficClass": "TC4",
			"plan": "Fast", "term": json.Number("1"), "restorationSla": "Standard", "aggregationMethod": "L2TP",
			"dslStabilityProfile": "Standard", "wholesaleServiceId": "WSI000001000001", "locId": "LOC000001000001",
			"avcId": "AVC000001000001", "cancelled": false,
		},
	}
	if diff := cmp.Diff(want, body.json()); diff != "" {
		t.Error(diff)
	}
	if got.header.Get("Content-Type") != "application/json" || got.header.Get("Z-Event-Type") != "" {
		t.Errorf("%v", got.header)
	}
}

// TestAnEventInHeaders compares the form of the published interface: headers name the event, and
// the body is the resource alone, without an id of the event.
func TestAnEventInHeaders(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, withEventReceiver(receiver, simulator.EventsInHeaders))
	h.post(reclaims, serviceBody(cancelledService)).created()
	h.wait(10 * time.Second)
	h.deliver(1)
	got := receiver.all()[0]
	want := [3]string{"service.reclaim-activated.event", "service.reclaim-activated.notification", "service"}
	seen := [3]string{
		got.header.Get("z-event-type"), got.header.Get("z-notification-type"), got.header.Get("z-notification-model"),
	}
	if body := (response{t: t, body: got.body}); seen != want || fmt.Sprint(body.find("id")) != "1000007" {
		t.Errorf("%v %s", seen, got.body)
	}
}

// TestAServiceEventInHeadersHasTheServiceResource compares its body with a read of the service.
func TestAServiceEventInHeadersHasTheServiceResource(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, withServiceRead, withEventReceiver(receiver, simulator.EventsInHeaders))
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.deliver(1)
	read := h.get(servicePath(fttp)).is(http.StatusOK).json()
	event := response{t: t, body: receiver.all()[0].body}.json()
	if diff := cmp.Diff(read, event); diff != "" {
		t.Error(diff)
	}
}

// TestTheResourceOfAnOrderRejectedEvent compares the resource with that of the
// published interface.
func TestTheResourceOfAnOrderRejectedEvent(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, withEventReceiver(receiver, simulator.EventsInHeaders))
	placed := h.post(orders, orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC1"))).is(http.StatusCreated)
	h.wait(10 * time.Second)
	h.deliver(1)
	body := response{t: t, body: receiver.all()[0].body}
	for _, name := range []string{"status", "provider", "fee", "orderType"} {
		if _, there := body.json()[name]; there {
			t.Errorf("%s is there", name)
		}
	}
	if body.text("type") != "transfer" || body.text("rejectedReason") == "" || body.text("rejectedOn") == "" ||
		body.find("id") != placed.find("id") || body.text("customerRef") != "SITE-014" {
		t.Error(body.body)
	}
}

// TestEventsThatDoNotHappenAreNotSent aborts a cancellation and removes a service.
func TestEventsThatDoNotHappenAreNotSent(t *testing.T) {
	h := start(t, withEventReceiver(newEventReceiver(t), simulator.EventsInHeaders))
	h.post(aborting, serviceBody(cancelRequested)).expectCancellationChanged()
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.sim.RemoveService(fttp)
	h.sim.Advance(60 * 24 * time.Hour)
	h.deliver(0)
	if h.sim.Waiting() != 0 || len(h.sim.Deliveries()) != 0 {
		t.Errorf("%d wait, %+v", h.sim.Waiting(), h.sim.Deliveries())
	}
}

// TestEventsOfForgottenRequestsAreSent makes the carrier forget a request before its end.
func TestEventsOfForgottenRequestsAreSent(t *testing.T) {
	h := start(t, withEventReceiver(newEventReceiver(t), ""))
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.sim.Forget()
	h.wait(10 * time.Second)
	h.deliver(1)
}

// TestManagementSetsCallbacks sets a callback, and lets an appointment be cancelled.
func TestManagementSetsCallbacks(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, func(s *simulator.Seed) { s.Events.Form = simulator.EventsInHeaders })
	h.manage(http.MethodPost, "/_sim/callback", `{"client":"reseller","callback":"`+receiver.server.URL+`","secret":"s"}`).
		is(http.StatusNoContent)
	h.manage(http.MethodPost, "/_sim/appointment-cancelled", `{"orderId":555,"reason":"no technician"}`).
		is(http.StatusNoContent)
	h.deliver(1)
	got := receiver.all()[0]
	body := response{t: t, body: got.body}
	if got.header.Get("Z-Notification-Model") != "appointment" || fmt.Sprint(body.find("orderId")) != "555" {
		t.Errorf("%v %s", got.header, got.body)
	}
	for name, want := range map[string]string{
		"wholesaleAppointmentId": "APT000000000555", "startTime": "2026-11-21T08:00:00Z", "slotType": "AM",
		"status": "cancelled", "cancelledOn": "2026-11-20T10:00:00Z", "reason": "no technician",
	} {
		if body.text(name) != want {
			t.Errorf("%s is %q, want %q", name, body.text(name), want)
		}
	}
	shown := h.manage(http.MethodGet, "/_sim/events", "").is(http.StatusOK)
	if !strings.Contains(shown.body, `"name":"appointment.cancelled"`) {
		t.Error(shown.body)
	}
	for path, content := range map[string]string{
		"/_sim/callback": `{"client":"nobody"}`, "/_sim/appointment-cancelled": `{"orderId":1}`,
	} {
		h.manage(http.MethodPost, path, content).is(http.StatusBadRequest)
	}
	h.manage(http.MethodPost, "/_sim/callback", `{"client":"reseller","callback":"file:///x"}`).is(http.StatusBadRequest)
}

// TestEventRulesOfASeedAreValidated finds each mistake.
func TestEventRulesOfASeedAreValidated(t *testing.T) {
	for want, edit := range map[string]func(*simulator.Seed){
		"events.form":          func(s *simulator.Seed) { s.Events.Form = "Smoke" },
		"events: attempts":     func(s *simulator.Seed) { s.Events.Attempts = 21 },
		"events.callback":      func(s *simulator.Seed) { s.Events.Callback = "ftp://x/" },
		"clients[0].callback":  func(s *simulator.Seed) { s.Clients[0].Callback = "http:///x" },
		"clients[0].denied":    func(s *simulator.Seed) { s.Clients[0].Denied = []simulator.Operation{"Sing"} },
		"attempts is 0 to 20":  func(s *simulator.Seed) { s.Events.Backoff = -1 },
		`"ftp" is not one of`:  func(s *simulator.Seed) { s.Events.Form = "ftp" },
		"an http or https URL": func(s *simulator.Seed) { s.Events.Callback = "/hook" },
		"serviceStatus: \"Off\"": func(s *simulator.Seed) {
			s.Qualifications[1].Infrastructures[0].Ports[0].ServiceStatus = "Off"
		},
	} {
		initial := seed()
		edit(&initial)
		if err := initial.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
