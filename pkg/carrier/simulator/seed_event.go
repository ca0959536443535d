package simulator

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
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
	// Backoff is the pause after the first failure. It doubles with each failure; 1 s when zero.
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

func (s *Seed) checkEvents() []error {
	var problems []error
	forms := []EventForm{"", EventsOfSpecification, EventsInHeaders, EventsMixed}
	if !slices.Contains(forms, s.Events.Form) {
		problems = append(problems, fmt.Errorf("events.form: %q is not one of %q", s.Events.Form, forms[1:]))
	}
	if s.Events.Attempts < 0 || s.Events.Attempts > maxAttempts || s.Events.Backoff < 0 {
		problems = append(problems, fmt.Errorf("events: attempts is 0 to %d and backoff not negative", maxAttempts))
	}
	if err := CheckCallback(s.Events.Callback); err != nil {
		problems = append(problems, fmt.Errorf("events.callback: %w", err))
	}
	return problems
}

// CheckCallback returns an error unless events can be sent to the URL: an absolute http or https
// URL.
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

// callbackOf returns the destination of a client's events: its own callback, else that of the
// options, else that of the seed. Empty means none.
func (s *Simulator) callbackOf(c *client) (callback, secret string) {
	callback, secret = s.options.Seed.Events.Callback, s.options.Seed.Events.Secret
	if s.options.Callback != "" {
		callback = s.options.Callback
	}
	if s.options.CallbackSecret != "" {
		secret = s.options.CallbackSecret
	}
	if c.Callback != "" {
		callback = c.Callback
	}
	if c.CallbackSecret != "" {
		secret = c.CallbackSecret
	}
	return callback, secret
}
