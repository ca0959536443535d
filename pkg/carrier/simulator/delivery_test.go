package simulator_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const eventSecret = "shared-secret"

// eventReceiver is a receiver of events with configurable responses.
type eventReceiver struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	statuses []int // statuses to respond with, in turn; 204 when used up
	got      []receivedEvent
}

type receivedEvent struct {
	header http.Header
	body   string
}

func newEventReceiver(tb testing.TB, statuses ...int) *eventReceiver {
	tb.Helper()
	receiver := &eventReceiver{t: tb, statuses: statuses}
	receiver.server = httptest.NewServer(http.HandlerFunc(receiver.receive))
	tb.Cleanup(receiver.server.Close)
	return receiver
}

func (receiver *eventReceiver) receive(w http.ResponseWriter, r *http.Request) {
	var content bytes.Buffer
	if _, err := content.ReadFrom(r.Body); err != nil {
		receiver.t.Error(err)
	}
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	receiver.got = append(receiver.got, receivedEvent{header: r.Header, body: content.String()})
	status := http.StatusNoContent
	if len(receiver.statuses) > 0 {
		status, receiver.statuses = receiver.statuses[0], receiver.statuses[1:]
	}
	w.WriteHeader(status)
}

// all is everything that has arrived so far.
func (receiver *eventReceiver) all() []receivedEvent {
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	return slices.Clone(receiver.got)
}

// withEventReceiver makes the seed send its events to an inbox.
func withEventReceiver(receiver *eventReceiver, form simulator.EventForm) func(*simulator.Seed) {
	return func(s *simulator.Seed) {
		s.Events = simulator.EventRules{Callback: receiver.server.URL, Secret: eventSecret, Form: form, Attempts: 3}
	}
}

// deliver sends the events that are due and checks their number.
func (h *harness) deliver(want int) {
	h.t.Helper()
	if got := h.sim.Deliver(h.t.Context(), h.server.Client()); got != want {
		h.t.Errorf("%d events were delivered, want %d: %+v", got, want, h.sim.Deliveries())
	}
}

// names are the events that were delivered, in order.
func (h *harness) names() []string {
	names := []string{}
	for _, delivery := range h.sim.Deliveries() {
		if delivery.Delivered {
			names = append(names, delivery.Name)
		}
	}
	return names
}

// TestEventsAreSigned checks the signature, and that it is dated by the real clock.
func TestEventsAreSigned(t *testing.T) {
	for _, secret := range []string{
		eventSecret, "whsec_" + base64.StdEncoding.EncodeToString([]byte(eventSecret)), // as in Standard Webhooks
	} {
		receiver := newEventReceiver(t)
		h := start(t, withEventReceiver(receiver, ""), func(s *simulator.Seed) { s.Events.Secret = secret })
		h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
		h.sim.Advance(24 * time.Hour)
		h.deliver(1)
		got := receiver.all()[0]
		id, at := got.header.Get("Webhook-Id"), got.header.Get("Webhook-Timestamp")
		mac := hmac.New(sha256.New, []byte(eventSecret))
		mac.Write([]byte(id + "." + at + "." + got.body))
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if got.header.Get("Webhook-Signature") != want || at != fmt.Sprint(h.clock().Unix()) || len(id) < 16 {
			t.Errorf("with %s: %v", secret, got.header)
		}
	}
}

// TestEventsAreSentInTheOrderOfTheirTimes submits the request first that ends last.
func TestEventsAreSentInTheOrderOfTheirTimes(t *testing.T) {
	h := start(t, withEventReceiver(newEventReceiver(t), ""), func(s *simulator.Seed) {
		s.Delays = map[string]simulator.Duration{"PlanChange": simulator.Duration(time.Hour)}
	})
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.post(reclaims, serviceBody(cancelledService)).created()
	h.wait(time.Hour)
	h.deliver(2)
	if diff := cmp.Diff([]string{"ServiceReclaimActivated", "ServicePlanChanged"}, h.names()); diff != "" {
		t.Error(diff)
	}
}

// sender makes calls with a function.
type sender func(*http.Request) (*http.Response, error)

func (send sender) Do(call *http.Request) (*http.Response, error) { return send(call) }

// TestAnEventThatIsBeingSentIsNotDue delivers events while one is being sent.
func TestAnEventThatIsBeingSentIsNotDue(t *testing.T) {
	h := start(t, withEventReceiver(newEventReceiver(t), ""))
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	sent := 0
	var send sender
	send = func(call *http.Request) (*http.Response, error) {
		sent++
		h.sim.Deliver(call.Context(), send)
		return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
	}
	if got := h.sim.Deliver(t.Context(), send); got != 1 || sent != 1 {
		t.Errorf("%d events were delivered with %d calls, want one with one", got, sent)
	}
}

// TestEventsWithoutASecretAreNotSigned checks that the headers are absent.
func TestEventsWithoutASecretAreNotSigned(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, func(s *simulator.Seed) { s.Clients[0].Callback = receiver.server.URL })
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.deliver(1)
	if got := receiver.all()[0]; got.header.Get("Webhook-Signature")+got.header.Get("Webhook-Id") != "" {
		t.Errorf("%v", got.header)
	}
}

// TestDeliveriesAreRetriedUpToALimit responds with errors until the attempts are used up.
func TestDeliveriesAreRetriedUpToALimit(t *testing.T) {
	receiver := newEventReceiver(t, 500, 404, 302, 503, 503)
	h := start(t, withEventReceiver(receiver, ""))
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.post(profile, profileBody(copper)).created()
	via := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, step := range []struct {
		wait      time.Duration
		delivered int
		waiting   int
	}{
		{10 * time.Second, 0, 2},
		{time.Second - time.Nanosecond, 0, 2}, // too soon
		{time.Nanosecond, 0, 2},               // the second attempts
		{2 * time.Second, 1, 0},               // the first is dropped, the second delivered
	} {
		h.wait(step.wait)
		if got := h.sim.Deliver(t.Context(), via); got != step.delivered || h.sim.Waiting() != step.waiting {
			t.Errorf("after %v: delivered %d, waiting %d: %+v", step.wait, got, h.sim.Waiting(), h.sim.Deliveries())
		}
	}
	ids := make(map[string]int)
	for _, delivery := range h.sim.Deliveries() {
		ids[delivery.EventID]++
		if want := delivery.Attempt == 3 && !delivery.Delivered; delivery.GivenUp != want {
			t.Errorf("%+v", delivery)
		}
	}
	if len(ids) != 2 || len(receiver.all()) != 6 {
		t.Errorf("%v in %d calls", ids, len(receiver.all()))
	}
}

// TestAnUnreachableCallbackIsRetried: an unreachable callback is a failed attempt like any other.
func TestAnUnreachableCallbackIsRetried(t *testing.T) {
	receiver := newEventReceiver(t)
	h := start(t, withEventReceiver(receiver, ""))
	receiver.server.Close()
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.deliver(0)
	if h.sim.Waiting() != 1 || h.sim.Deliveries()[0].Status != 0 {
		t.Errorf("%+v", h.sim.Deliveries())
	}
}

// TestDeliverStopsWithItsContext keeps the deliveries that were not attempted.
func TestDeliverStopsWithItsContext(t *testing.T) {
	h := start(t, withEventReceiver(newEventReceiver(t), ""))
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	ended, cancel := cancellableContext(t)
	cancel()
	if got := h.sim.Deliver(ended, h.server.Client()); got != 0 || h.sim.Waiting() != 1 {
		t.Errorf("delivered %d, %d wait", got, h.sim.Waiting())
	}
	h.deliver(1)
}

func cancellableContext(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}
