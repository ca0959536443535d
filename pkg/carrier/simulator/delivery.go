package simulator

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The headers of a signed event. The signature is "v1," and the base64 of HMAC-SHA256 over
// id.timestamp.body, with [signingKey] as key. The timestamp is in Unix seconds.
const (
	headerEventID        = "Webhook-Id"
	headerEventTimestamp = "Webhook-Timestamp"
	headerEventSignature = "Webhook-Signature"
)

// Doer makes HTTP calls, as [http.Client] does. It must have its own timeout.
type Doer interface {
	Do(call *http.Request) (*http.Response, error)
}

// Deliver attempts the events that are due now, each once and in the order of their times, and
// returns how many were delivered. A failed event becomes due again after a pause that doubles,
// until its attempts are used up. Only Deliver sends events: a test calls it after moving its
// clock, and the program calls it periodically.
func (s *Simulator) Deliver(ctx context.Context, client Doer) int {
	delivered := 0
	for _, e := range s.takeDue() {
		if ctx.Err() != nil {
			s.requeue(e)
			continue
		}
		if s.attempt(ctx, client, e) {
			delivered++
		}
	}
	return delivered
}

// takeDue returns the due events in the order of their times. An event that is being sent is not due,
// so that two callers never attempt the same event at the same time.
func (s *Simulator) takeDue() []*event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []*event
	for _, e := range s.state.Events {
		if !e.isSent && !e.NextAt.After(s.now()) {
			e.isSent = true
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(a, b *event) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.Number, b.Number))
	})
	return due
}

// requeue puts an event that was not attempted back into the queue.
func (s *Simulator) requeue(e *event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.isSent = false
}

// message is an event ready to be sent.
type message struct {
	url      string
	body     []byte
	header   http.Header
	delivery Delivery
}

// attempt sends an event and records the result.
func (s *Simulator) attempt(ctx context.Context, client Doer, e *event) bool {
	m, valid := s.compose(e)
	if !valid {
		return false
	}
	m.delivery.Status = m.send(ctx, client)
	m.delivery.Delivered = m.delivery.Status >= http.StatusOK && m.delivery.Status < http.StatusMultipleChoices
	s.recordAttempt(e, m.delivery)
	return m.delivery.Delivered
}

// compose builds the message of an event. It drops an event that did not happen, or whose service
// no longer exists.
func (s *Simulator) compose(e *event) (message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	resource, valid := s.resourceOf(e)
	holder := s.clients[e.Client]
	if !valid || holder == nil {
		delete(s.state.Events, e.Number)
		return message{}, false
	}
	callback, secret := s.callbackOf(holder)
	m := message{url: callback, header: http.Header{"Content-Type": {jsonMediaType}}}
	name, dotted := e.Kind.names()
	m.body = envelope(e, s.word.Write(resource))
	if s.formOf(e) == EventsInHeaders {
		name, m.body = dotted, s.word.Write(s.bareResourceOf(e, resource))
		m.header.Set("Z-Event-Type", dotted+".event")
		m.header.Set("Z-Notification-Type", dotted+".notification")
		m.header.Set("Z-Notification-Model", e.Kind.model())
	}
	id := "evt_" + opaqueID(e.Number)
	if secret != "" {
		m.sign(secret, id, s.options.Now())
	}
	m.delivery = Delivery{
		Time: s.now(), EventID: id, Name: name, Client: e.Client,
		ServiceID: e.ServiceID, OrderID: e.OrderID, Attempt: e.Attempts + 1,
	}
	return m, true
}

// resourceOf returns the resource of the event, as it was when the event happened.
func (s *Simulator) resourceOf(e *event) (json.RawMessage, bool) {
	if e.Resource != nil {
		return e.Resource, true
	}
	svc := s.state.Services[e.ServiceID]
	if svc == nil {
		return nil, false
	}
	if e.Kind == serviceCancelled && !svc.CancellationState.carriedOutAt(e.HappensAt) {
		return nil, false // the cancellation was rescheduled or aborted
	}
	return encoded(svc.eventResource(e.HappensAt)), true
}

// bareResourceOf returns the body of an event in the header form: the resource alone. For a
// service, it is what a read of the service would have returned when the event happened.
func (s *Simulator) bareResourceOf(e *event, resource json.RawMessage) json.RawMessage {
	svc := s.state.Services[e.ServiceID]
	if e.Kind.model() != serviceModel || svc == nil {
		return resource
	}
	return encoded(s.serviceInfo(svc, e.HappensAt))
}

// envelope returns the body in the specification's form.
func envelope(e *event, resource json.RawMessage) []byte {
	name, _ := e.Kind.names()
	return encoded(map[string]any{
		"eventType": name, "occurredOn": timestamp(e.HappensAt), e.Kind.model(): resource,
		"requestId": idOrNull(e.RequestID), "serviceId": idOrNull(e.ServiceID), "orderId": idOrNull(e.OrderID),
	})
}

// sign adds the headers of a signed event. The timestamp is from the real clock, because Advance
// may have moved the carrier's clock beyond a receiver's tolerance.
func (m *message) sign(secret, id string, now time.Time) {
	at := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, signingKey(secret))
	mac.Write(slices.Concat([]byte(id+"."+at+"."), m.body))
	m.header.Set(headerEventID, id)
	m.header.Set(headerEventTimestamp, at)
	m.header.Set(headerEventSignature, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// signingKey returns the bytes of a secret. After the prefix whsec_ of Standard Webhooks, a secret
// is in base64.
func signingKey(secret string) []byte {
	if encoded, standard := strings.CutPrefix(secret, "whsec_"); standard {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// send makes the call and returns the response status, zero without a response.
func (m *message) send(ctx context.Context, client Doer) int {
	const maxBytes = 64 << 10
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return 0
	}
	call.Header = m.header
	resp, err := client.Do(call)
	if err != nil {
		return 0
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxBytes) //nolint:errcheck // allows the connection to be reused
	_ = resp.Body.Close()                            //nolint:errcheck // the receiver's response does not matter
	return resp.StatusCode
}

// recordAttempt drops an event that was delivered or has no attempts left, and queues any other for
// its next attempt.
func (s *Simulator) recordAttempt(e *event, delivery Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	e.Attempts++
	delivery.GivenUp = !delivery.Delivered && e.Attempts >= cmp.Or(s.options.Seed.Events.Attempts, defaultAttempts)
	s.state.Journal.Deliveries.add(delivery)
	if delivery.Delivered || delivery.GivenUp {
		delete(s.state.Events, e.Number)
		return
	}
	e.NextAt, e.isSent = s.now().Add(s.backoff(e.Attempts)), false
}

// backoff returns the pause after the given number of failures.
func (s *Simulator) backoff(failures int) time.Duration {
	first := cmp.Or(time.Duration(s.options.Seed.Events.Backoff), defaultBackoff)
	return time.Duration(float64(min(first<<(failures-1), maxBackoff)) / s.options.Speed)
}
