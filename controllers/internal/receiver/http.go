// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"context"
	"errors"
	"net/http"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// handlingTimeout is the time limit for handling a notification, because an API server may hang.
const handlingTimeout = 20 * time.Second

// The values of Retry-After, in seconds.
const (
	retryLimited   = "1"
	retryPostponed = "5"
)

// healthPath is what a load balancer asks to find out whether the port is served. The response says
// nothing about accounts, and is not counted.
const healthPath = "/healthz"

func isHealthCheck(request *http.Request) bool {
	reads := request.Method == http.MethodGet || request.Method == http.MethodHead
	return reads && request.URL.Path == healthPath
}

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if isHealthCheck(request) {
		http.Error(w, http.StatusText(http.StatusOK), http.StatusOK)
		return
	}
	sent := r.receive(w, request)
	r.count.Add(sent.status, sent.event)
	switch sent.status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", retryLimited)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryPostponed)
	}
	if sent.status != http.StatusAccepted || isChunked(request) {
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	http.Error(w, http.StatusText(sent.status), sent.status)
}

// receive checks the request, step by step, and handles its message.
func (r *Receiver) receive(w http.ResponseWriter, request *http.Request) response {
	if status := wellFormed(request); status != 0 {
		return response{status: status}
	}
	endpoint := r.at(request.URL.Path)
	switch {
	case endpoint == nil:
		return response{status: http.StatusNotFound}
	case !endpoint.reads.AllowN(r.config.Now(), 1):
		return response{status: http.StatusTooManyRequests}
	}
	body, err := bodyOf(w, request)
	if err != nil {
		return response{status: bodyStatus(err)}
	}
	ctx, cancel := context.WithTimeout(request.Context(), handlingTimeout)
	defer cancel()
	return r.admit(ctx, endpoint, message{header: request.Header, body: body})
}

// response is the status that a notification receives, and its event.
type response struct {
	status int
	event  carrier.EventName // empty if it was not read, or is unknown
}

// wellFormed returns the status for a request that is refused whatever its content; 0 if it is
// accepted.
func wellFormed(request *http.Request) int {
	switch {
	case !request.ProtoAtLeast(1, 1):
		return http.StatusHTTPVersionNotSupported
	case request.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	}
	return 0
}

// admit handles a message if it is from the carrier, and only once.
func (r *Receiver) admit(ctx context.Context, at *endpoint, from message) response {
	now := r.config.Now()
	switch {
	case !at.authenticates(from, now):
		return response{status: http.StatusUnauthorized}
	case at.isDuplicate(from):
		return response{status: http.StatusAccepted}
	case !at.takes.AllowN(now, 1):
		return response{status: http.StatusTooManyRequests}
	}
	return r.act(ctx, at, from)
}

// act handles the content of a message.
func (r *Receiver) act(ctx context.Context, at *endpoint, from message) response {
	hint, readable := carrier.ReadEvent(from.body)
	if !readable {
		return response{status: http.StatusBadRequest}
	}
	event, known := from.event(hint)
	if !known {
		return response{status: http.StatusAccepted} // counted as unknown
	}
	notification := Notification{Account: at.account, Event: event, Hint: hint, Signed: at.signed}
	if event == carrier.EventAppointmentCancelled {
		notification.Appointment = carrier.ReadAppointment(at.word, from.body)
	}
	if err := r.config.Take(ctx, notification); err != nil {
		logUntaken(ctx, err, notification)
		return response{status: http.StatusServiceUnavailable, event: event}
	}
	at.remember(from)
	return response{status: http.StatusAccepted, event: event}
}

// logUntaken writes a log line about a notification that was not processed.
func logUntaken(ctx context.Context, err error, notification Notification) {
	logger := ctrl.LoggerFrom(ctx).WithValues("event", notification.Event, "account", notification.Account)
	if errors.Is(err, ErrNotYet) {
		logger.Info("a notification cannot be processed yet", "why", err.Error())
		return
	}
	logger.Error(err, "cannot process a notification")
}
