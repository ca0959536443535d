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
	answerAccepted  = "accepted"
	answerRefused   = "refused"
	answerLimited   = "limited"
	answerPostponed = "postponed"
	answerMalformed = "malformed"
)

func newNotifications(r *registrar) *Notifications {
	made := &Notifications{r.counter("broadband_notifications_total",
		"Notifications received from the carrier, by event (unknown for any other) and answer.", "event", "answer")}
	for _, answer := range []string{answerAccepted, answerRefused, answerLimited, answerPostponed, answerMalformed} {
		made.received.WithLabelValues(unknownEvent, answer)
	}
	// Only these responses are given to a notification whose event is known.
	for _, event := range carrier.EventNames() {
		made.received.WithLabelValues(string(event), answerAccepted)
		made.received.WithLabelValues(string(event), answerPostponed)
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
	n.received.WithLabelValues(event, answerLabel(status)).Inc()
}

// answerLabel returns the label for an HTTP status.
func answerLabel(status int) string {
	switch status {
	case http.StatusAccepted:
		return answerAccepted
	case http.StatusUnauthorized, http.StatusNotFound:
		return answerRefused
	case http.StatusTooManyRequests:
		return answerLimited
	case http.StatusServiceUnavailable:
		return answerPostponed
	}
	return answerMalformed
}
