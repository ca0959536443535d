// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Counter counts notifications by event and answer. Its labels contain only known names, and
// nothing from an unauthenticated sender.
type Counter struct{ notifications *prometheus.CounterVec }

// NewCounter registers the metric, or returns the one already registered.
func NewCounter(registry prometheus.Registerer) (*Counter, error) {
	notifications := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "broadband_notifications_total",
		Help: "Notifications received from the carrier, by event (unknown for any other) and answer.",
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

// unknownEvent stands for events that were refused unread or are not known.
const unknownEvent = "unknown"

func (c *Counter) add(status int, name carrier.EventName) {
	if c == nil {
		return
	}
	event := unknownEvent
	if name != "" {
		event = string(name)
	}
	c.notifications.WithLabelValues(event, answerLabel(status)).Inc()
}

// answerLabel returns the label for an HTTP status.
func answerLabel(status int) string {
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
