package simulator

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Call is one call as the simulator saw it. It is recorded before the response is sent.
type Call struct {
	Time      time.Time `json:"time"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Operation Operation `json:"operation"`
	// Version is the X-API-VERSION, zero if it was missing or not a number.
	Version int `json:"version,omitempty"`
	// Status is the response status, zero if the connection was closed or left hanging.
	Status int `json:"status"`
	// Client is the name of the calling client, empty if the token was not valid.
	Client string `json:"client,omitempty"`
	// ServiceID is the service that the call was about, zero if there was none.
	ServiceID int64 `json:"serviceId,omitempty"`
	// Subject is the subject of a submission: a service, location, order or customer reference.
	Subject string `json:"subject,omitempty"`
	// RequestID is the id in the path of a read, or the id that an accepted submission created or
	// changed.
	RequestID string `json:"requestId,omitempty"`
	// Accepted is true if a submission was processed, whatever the response.
	Accepted bool `json:"accepted,omitempty"`
	// EndsInError is true if the accepted submission will fail.
	EndsInError bool `json:"endsInError,omitempty"`
	// Duplicated is true if a gateway delivered the submission twice and both were processed.
	Duplicated bool `json:"duplicated,omitempty"`
	// Codes are the sub-error codes of the response.
	Codes []string `json:"codes,omitempty"`
	// JTI is the id of the assertion of a token exchange.
	JTI string `json:"jti,omitempty"`
	// Fault is the fault that was applied to the call.
	Fault FaultKind `json:"fault,omitempty"`
}

// Rule is a rule of the protocol that a client can break.
type Rule string

// The rules whose violations are recorded.
const (
	RuleHeader         Rule = "Header"         // a required header is missing
	RulePath           Rule = "Path"           // the path is not in the specification
	RuleMethod         Rule = "Method"         // the path does not have the method
	RuleVersion        Rule = "Version"        // the path does not support the version
	RuleBody           Rule = "Body"           // the body is not JSON
	RuleField          Rule = "Field"          // the body has a field that the version does not have
	RuleIdempotencyKey Rule = "IdempotencyKey" // a POST has a header that allows transports to resend it
	RuleTokenReuse     Rule = "TokenReuse"     // an assertion was used twice (spec §8: single use)
	RuleAssertion      Rule = "Assertion"      // an assertion breaks spec §5
	RulePollInterval   Rule = "PollInterval"   // a request was polled too soon (spec §8)
)

// Violation is a rule violation by a client.
type Violation struct {
	Time      time.Time `json:"time"`
	Rule      Rule      `json:"rule"`
	Detail    string    `json:"detail"`
	Operation Operation `json:"operation"`
	Path      string    `json:"path"`
}

// Delivery is one attempt to deliver an event.
type Delivery struct {
	Time time.Time `json:"time"`
	// EventID is the same for every attempt.
	EventID string `json:"eventId"`
	// Name is the event's name in the form that was sent.
	Name      string `json:"name"`
	Client    string `json:"client"`
	ServiceID int64  `json:"serviceId,omitempty"`
	OrderID   int64  `json:"orderId,omitempty"`
	// Attempt counts from 1.
	Attempt int `json:"attempt"`
	// Status is the status of the callback's response, zero without one.
	Status int `json:"status,omitempty"`
	// Delivered is true if the callback responded with a 2xx.
	Delivered bool `json:"delivered"`
	// GivenUp is true if there will be no further attempt.
	GivenUp bool `json:"givenUp,omitempty"`
}

// Count is how often something was submitted.
type Count struct {
	// Seen is the number of POSTs that arrived.
	Seen int `json:"seen"`
	// Processed is how many of them took effect, whatever the response.
	Processed int `json:"processed"`
	// Duplicated is how many of these a gateway delivered twice, with both processed. Only a
	// hostile carrier has such a gateway.
	Duplicated int `json:"duplicated,omitempty"`
}

// defaultJournalLimit is the default of Options.JournalLimit.
const defaultJournalLimit = 100_000

// journal is the history so far, guarded by the store's mutex.
type journal struct {
	Calls      ring[Call]       `json:"calls"`
	Violations ring[Violation]  `json:"violations"`
	Deliveries ring[Delivery]   `json:"deliveries"`
	Counts     map[string]Count `json:"counts"` // by countKey
}

// countKey is the key by which submissions about a subject are counted. Without a subject, it is
// the key for all submissions of the operation.
func countKey(operation Operation, subject string) string {
	return string(operation) + " " + truncate(subject)
}

func newJournal(limit int) journal {
	if limit <= 0 {
		limit = defaultJournalLimit
	}
	return journal{
		Calls: ring[Call]{Limit: limit}, Violations: ring[Violation]{Limit: limit},
		Deliveries: ring[Delivery]{Limit: limit}, Counts: make(map[string]Count),
	}
}

// Limits on what a caller can put into the journal: the length of its texts, and the number of
// subjects that are counted separately. Beyond that, only known subjects and the total are counted.
const (
	maxTextBytes = 256
	maxSubjects  = 1 << 20
)

// truncate shortens a long text from a caller, and copies what is left, so that the body it came
// from can be freed.
func truncate(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:maxTextBytes], ""))
}

// add records a call, and counts it if it is a submission.
func (j *journal) add(call Call) {
	call.Method, call.Path, call.Client = truncate(call.Method), truncate(call.Path), truncate(call.Client)
	call.Subject, call.RequestID, call.JTI = truncate(call.Subject), truncate(call.RequestID), truncate(call.JTI)
	j.Calls.add(call)
	if call.Method != http.MethodPost {
		return
	}
	subjects := []string{"", call.Subject} // the total, and this subject
	if call.Subject == "" {
		subjects = subjects[:1]
	}
	for _, subject := range subjects {
		of := countKey(call.Operation, subject)
		count, known := j.Counts[of]
		if known || len(j.Counts) < maxSubjects {
			j.Counts[of] = count.with(call)
		}
	}
}

// with returns the count including one more call.
func (c Count) with(call Call) Count {
	c.Seen++
	if call.Accepted {
		c.Processed++
	}
	if call.Duplicated {
		c.Duplicated++
	}
	return c
}

// ring keeps the newest values.
type ring[T any] struct {
	Limit  int `json:"limit"`
	Values []T `json:"values"`
	Oldest int `json:"oldest"`
}

func (r *ring[T]) add(value T) {
	if len(r.Values) < r.Limit {
		r.Values = append(r.Values, value)
		return
	}
	r.Values[r.Oldest] = value
	r.Oldest = (r.Oldest + 1) % r.Limit
}

// newest returns a copy of the newest values, at most the given number of them, newest first.
func (r *ring[T]) newest(most int) []T {
	found := make([]T, min(most, len(r.Values)))
	for i := range found {
		found[i] = r.Values[(r.Oldest+len(r.Values)-1-i)%len(r.Values)]
	}
	return found
}

// all returns a copy, oldest first.
func (r *ring[T]) all() []T {
	return slices.Concat(r.Values[r.Oldest:], r.Values[:r.Oldest])
}
