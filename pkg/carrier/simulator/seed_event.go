package simulator

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// EventRules states where and how events are sent (spec §6, which leaves all of this open).
type EventRules struct {
	// Callback is the destination of events for clients without their own callback. When empty,
	// they are not sent.
	Callback string `json:"callback,omitempty"`
	// Secret signs the events of clients without their own secret. When empty, they are not signed.
	Secret string `json:"secret,omitempty"`
	// Form is the form of an event; EventsOfSpecification when empty.
	Form EventForm `json:"form,omitempty"`
	// Attempts is the maximum number of delivery attempts; 5 when zero.
	Attempts int `json:"attempts,omitempty"`
	// Backoff is the pause after the first failure; 1 s when zero. It doubles with each further
	// failure, up to 5 minutes.
	Backoff Duration `json:"backoff,omitempty"`
	// Deprecated also sends ServiceModified and ServiceModificationRejected, each after its
	// successor.
	Deprecated bool `json:"deprecated,omitempty"`
}

// EventForm is the form of an event.
type EventForm string

// The forms of an event.
const (
	EventsOfSpecification EventForm = "Specification" // CamelCase names, in the body
	EventsInHeaders       EventForm = "Headers"       // dotted names in z- headers, the bare resource as body
	EventsMixed           EventForm = "Mixed"         // alternating
)

// Defaults and limits of the delivery.
const (
	defaultAttempts = 5
	defaultBackoff  = time.Second
	maxBackoff      = 5 * time.Minute
	maxAttempts     = 20
)

// CheckCallback returns an error unless the callback is empty or an http or https URL with a host.
func CheckCallback(callback string) error {
	if callback == "" {
		return nil
	}
	parsed, err := url.Parse(callback)
	if err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return errors.New("an http or https URL with a host is needed")
	}
	return nil
}
