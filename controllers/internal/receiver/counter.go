// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

// Counter counts notifications by event and by what was answered. Its labels hold names
// that we know and nothing that a stranger wrote.
type Counter struct{ notifications *prometheus.CounterVec }

// NewCounter puts the metric into a registry, or finds the one that is there.
func NewCounter(registry prometheus.Registerer) (*Counter, error) {
	notifications := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "broadband_notifications_total",
		Help: "Notifications of the carrier, by event (unknown: none that is known) and answer.",
	}, []string{"event", "answer"})
	if err := registry.Register(notifications); err != nil {
		there, registered := errors.AsType[prometheus.AlreadyRegisteredError](err)
		held, isCounter := there.ExistingCollector.(*prometheus.CounterVec)
		if !registered || !isCounter {
			return nil, fmt.Errorf("register the metric of notifications: %w", err)
		}
		notifications = held
	}
	return &Counter{notifications: notifications}, nil
}

// unknownEvent stands for every event that was refused unread or that nobody knows.
const unknownEvent = "unknown"

func (c *Counter) add(answered response) {
	if c == nil {
		return
	}
	event := unknownEvent
	if answered.event != "" {
		event = string(answered.event)
	}
	c.notifications.WithLabelValues(event, answer(answered.status)).Inc()
}

// answer names a status.
func answer(status int) string {
	switch status {
	case http.StatusAccepted:
		return "accepted"
	case http.StatusUnauthorized, http.StatusNotFound:
		return "refused"
	case http.StatusTooManyRequests:
		return "limited"
	case http.StatusServiceUnavailable:
		return "postponed"
	}
	return "malformed"
}
