// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Notifications counts notifications by event and response. A nil *Notifications counts nothing.
type Notifications struct{ received *prometheus.CounterVec }

// unknownEvent stands for events that were refused unread or are not known.
const unknownEvent = "unknown"

// The responses to a notification, as labels.
const (
	responseAccepted  = "accepted"
	responseRefused   = "refused"
	responseLimited   = "limited"
	responsePostponed = "postponed"
	responseMalformed = "malformed"
)

func newNotifications(r *registrar) *Notifications {
	made := &Notifications{r.counter("broadband_notifications_total",
		"Notifications received from the carrier, by event (unknown for any other) and response.", "event", "response")}
	for _, response := range []string{
		responseAccepted, responseRefused, responseLimited, responsePostponed, responseMalformed,
	} {
		made.received.WithLabelValues(unknownEvent, response)
	}
	// Only these responses are given to a notification whose event is known.
	for _, event := range carrier.EventNames() {
		made.received.WithLabelValues(string(event), responseAccepted)
		made.received.WithLabelValues(string(event), responsePostponed)
	}
	return made
}

// Add counts a notification by the status of the response and by the event. The name is "" if the
// notification was not read or its event is unknown.
func (n *Notifications) Add(status int, name carrier.EventName) {
	if n == nil {
		return
	}
	event := unknownEvent
	if name != "" {
		event = string(name)
	}
	n.received.WithLabelValues(event, responseLabel(status)).Inc()
}

// responseLabel returns the label for an HTTP status.
func responseLabel(status int) string {
	switch status {
	case http.StatusAccepted:
		return responseAccepted
	case http.StatusUnauthorized, http.StatusNotFound:
		return responseRefused
	case http.StatusTooManyRequests:
		return responseLimited
	case http.StatusServiceUnavailable:
		return responsePostponed
	}
	return responseMalformed
}
