package simulator_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const eventSecret = "shared-secret"

// inbox is a receiver of events with configurable answers.
type inbox struct {
	t      testing.TB
	server *httptest.Server

	mu      sync.Mutex
	answers []int // statuses to answer, in turn; 204 when used up
	got     []received
}

type received struct {
	header http.Header
	body   string
}

func newInbox(tb testing.TB, answers ...int) *inbox {
	tb.Helper()
	box := &inbox{t: tb, answers: answers}
	box.server = httptest.NewServer(http.HandlerFunc(box.take))
	tb.Cleanup(box.server.Close)
	return box
}

func (b *inbox) take(w http.ResponseWriter, r *http.Request) {
	var content bytes.Buffer
	if _, err := content.ReadFrom(r.Body); err != nil {
		b.t.Error(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, received{header: r.Header, body: content.String()})
	status := http.StatusNoContent
	if len(b.answers) > 0 {
		status, b.answers = b.answers[0], b.answers[1:]
	}
	w.WriteHeader(status)
}

// all is everything that has arrived so far.
func (b *inbox) all() []received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.got)
}

// sendsTo makes the seed send its events to an inbox.
func sendsTo(box *inbox, form simulator.EventForm) func(*simulator.Seed) {
	return func(s *simulator.Seed) {
		s.Events = simulator.EventRules{Callback: box.server.URL, Secret: eventSecret, Form: form, Attempts: 3}
	}
}

// deliver sends the events that are due and checks their number.
func (w *world) deliver(want int) {
	w.t.Helper()
	if got := w.sim.Deliver(w.t.Context(), w.server.Client()); got != want {
		w.t.Errorf("%d events were delivered, want %d: %+v", got, want, w.sim.Deliveries())
	}
}

// names are the events that were delivered, in order.
func (w *world) names() []string {
	names := []string{}
	for _, delivery := range w.sim.Deliveries() {
		if delivery.Delivered {
			names = append(names, delivery.Name)
		}
	}
	return names
}

// TestAnEventOfTheSpecification compares every part of one event.
func TestAnEventOfTheSpecification(t *testing.T) {
	box := newInbox(t)
	w := start(t, sendsTo(box, ""))
	outcome := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.deliver(0) // the request has not ended
	w.wait(10 * time.Second)
	w.deliver(1)
	w.deliver(0) // and it has been delivered
	got := box.all()[0]
	body := answer{t: t, body: got.body}
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

// TestAnEventInHeaders compares the form of the published interface: the bare resource and no id.
func TestAnEventInHeaders(t *testing.T) {
	box := newInbox(t)
	w := start(t, sendsTo(box, simulator.EventsInHeaders))
	w.post(reclaims, about(gone)).created()
	w.wait(10 * time.Second)
	w.deliver(1)
	got := box.all()[0]
	want := [3]string{"service.reclaim-activated.event", "service.reclaim-activated.notification", "service"}
	seen := [3]string{
		got.header.Get("z-event-type"), got.header.Get("z-notification-type"), got.header.Get("z-notification-model"),
	}
	if body := (answer{t: t, body: got.body}); seen != want || fmt.Sprint(body.find("id")) != "1000007" {
		t.Errorf("%v %s", seen, got.body)
	}
}

// TestEventsAreSigned checks the signature, and that it is dated by the real clock.
func TestEventsAreSigned(t *testing.T) {
	box := newInbox(t)
	w := start(t, sendsTo(box, ""))
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.sim.Advance(24 * time.Hour)
	w.deliver(1)
	got := box.all()[0]
	id, at := got.header.Get("Webhook-Id"), got.header.Get("Webhook-Timestamp")
	mac := hmac.New(sha256.New, []byte(eventSecret))
	mac.Write([]byte(id + "." + at + "." + got.body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if got.header.Get("Webhook-Signature") != want || at != fmt.Sprint(w.clock().Unix()) || len(id) < 16 {
		t.Errorf("%v", got.header)
	}
}

// TestEventsWithoutASecretAreNotSigned leaves the headers out.
func TestEventsWithoutASecretAreNotSigned(t *testing.T) {
	box := newInbox(t)
	w := start(t, func(s *simulator.Seed) { s.Clients[0].Callback = box.server.URL })
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	w.deliver(1)
	if got := box.all()[0]; got.header.Get("Webhook-Signature")+got.header.Get("Webhook-Id") != "" {
		t.Errorf("%v", got.header)
	}
}

// TestDeliveriesAreTriedAgainAndGivenUp answers with errors until the attempts are used up.
func TestDeliveriesAreTriedAgainAndGivenUp(t *testing.T) {
	box := newInbox(t, 500, 404, 302, 503, 503)
	w := start(t, sendsTo(box, ""))
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.post(profile, stabilize(copper)).created()
	via := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, step := range []struct {
		wait      time.Duration
		delivered int
		waiting   int
	}{
		{10 * time.Second, 0, 2},
		{time.Second - time.Nanosecond, 0, 2}, // too soon
		{time.Nanosecond, 0, 2},               // the second attempts
		{2 * time.Second, 1, 0},               // one is given up, the other delivered
	} {
		w.wait(step.wait)
		if got := w.sim.Deliver(t.Context(), via); got != step.delivered || w.sim.Waiting() != step.waiting {
			t.Errorf("after %v: delivered %d, waiting %d: %+v", step.wait, got, w.sim.Waiting(), w.sim.Deliveries())
		}
	}
	ids := make(map[string]int)
	for _, delivery := range w.sim.Deliveries() {
		ids[delivery.EventID]++
		if want := delivery.Attempt == 3 && !delivery.Delivered; delivery.GivenUp != want {
			t.Errorf("%+v", delivery)
		}
	}
	if len(ids) != 2 || len(box.all()) != 6 {
		t.Errorf("%v in %d calls", ids, len(box.all()))
	}
}

// TestACallbackThatIsNotThere: an unreachable callback is a failed attempt like any other.
func TestACallbackThatIsNotThere(t *testing.T) {
	box := newInbox(t)
	w := start(t, sendsTo(box, ""))
	box.server.Close()
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	w.deliver(0)
	if w.sim.Waiting() != 1 || w.sim.Deliveries()[0].Status != 0 {
		t.Errorf("%+v", w.sim.Deliveries())
	}
}

// TestTheEventOfARejectedOrder compares its resource with the field notes.
func TestTheEventOfARejectedOrder(t *testing.T) {
	box := newInbox(t)
	w := start(t, sendsTo(box, simulator.EventsInHeaders))
	placed := w.post(orders, onPort(2, takeOver("SERVICE_TRANSFER", "AVC1"))).is(http.StatusCreated)
	w.wait(10 * time.Second)
	w.deliver(1)
	body := answer{t: t, body: box.all()[0].body}
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

// TestWhatDoesNotComeTrueIsNotAnnounced aborts a cancellation and removes a service.
func TestWhatDoesNotComeTrueIsNotAnnounced(t *testing.T) {
	w := start(t, sendsTo(newInbox(t), simulator.EventsInHeaders))
	w.post(aborting, about(leaving)).altered()
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.sim.RemoveService(fttp)
	w.sim.Advance(60 * 24 * time.Hour)
	w.deliver(0)
	if w.sim.Waiting() != 0 || len(w.sim.Deliveries()) != 0 {
		t.Errorf("%d wait, %+v", w.sim.Waiting(), w.sim.Deliveries())
	}
}

// TestForgottenRequestsAreStillAnnounced makes the carrier forget a request before its end.
func TestForgottenRequestsAreStillAnnounced(t *testing.T) {
	w := start(t, sendsTo(newInbox(t), ""))
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.sim.Forget()
	w.wait(10 * time.Second)
	w.deliver(1)
}

// TestCallbacksAreSetByManagement sets a callback, and lets an appointment be cancelled.
func TestCallbacksAreSetByManagement(t *testing.T) {
	box := newInbox(t)
	w := start(t, func(s *simulator.Seed) { s.Events.Form = simulator.EventsInHeaders })
	w.manage(http.MethodPost, "/_sim/callback", `{"client":"reseller","callback":"`+box.server.URL+`","secret":"s"}`).
		is(http.StatusNoContent)
	w.manage(http.MethodPost, "/_sim/appointment-cancelled", `{"orderId":555,"reason":"no technician"}`).
		is(http.StatusNoContent)
	w.deliver(1)
	got := box.all()[0]
	body := answer{t: t, body: got.body}
	if got.header.Get("Z-Notification-Model") != "appointment" || fmt.Sprint(body.find("orderId")) != "555" {
		t.Errorf("%v %s", got.header, got.body)
	}
	shown := w.manage(http.MethodGet, "/_sim/events", "").is(http.StatusOK)
	if !strings.Contains(shown.body, `"name":"appointment.cancelled"`) {
		t.Error(shown.body)
	}
	for path, content := range map[string]string{
		"/_sim/callback": `{"client":"nobody"}`, "/_sim/appointment-cancelled": `{"orderId":1}`,
	} {
		w.manage(http.MethodPost, path, content).is(http.StatusBadRequest)
	}
	w.manage(http.MethodPost, "/_sim/callback", `{"client":"reseller","callback":"file:///x"}`).is(http.StatusBadRequest)
}

// TestEventRulesOfASeedAreJudged finds each mistake.
func TestEventRulesOfASeedAreJudged(t *testing.T) {
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
		planted := seed()
		edit(&planted)
		if err := planted.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestDeliverStopsWithItsContext keeps the deliveries that were not attempted.
func TestDeliverStopsWithItsContext(t *testing.T) {
	w := start(t, sendsTo(newInbox(t), ""))
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	ended, cancel := contextThatEnds(t)
	cancel()
	if got := w.sim.Deliver(ended, w.server.Client()); got != 0 || w.sim.Waiting() != 1 {
		t.Errorf("delivered %d, %d wait", got, w.sim.Waiting())
	}
	w.deliver(1)
}

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}
