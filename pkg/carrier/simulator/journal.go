package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultJournalLimit is how many calls are kept when the options do not say.
const defaultJournalLimit = 100_000

// Call is one call as the simulator saw it. It is written down before it is answered.
type Call struct {
	Time      time.Time `json:"time"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Operation Operation `json:"operation"`
	// Version is the X-API-VERSION, zero when it was missing or no number.
	Version int `json:"version,omitempty"`
	// Status is what was answered, zero when the connection was cut or left hanging.
	Status int `json:"status"`
	// Client is who called, empty when the token was not valid.
	Client string `json:"client,omitempty"`
	// ServiceID is the service the call was about, zero when it was about none.
	ServiceID int64 `json:"serviceId,omitempty"`
	// Subject is what a submission was about: a service, location, order or customer reference.
	Subject string `json:"subject,omitempty"`
	// RequestID is the id that a submission created or a read asked for.
	RequestID string `json:"requestId,omitempty"`
	// Accepted says that a submission was processed, whatever was answered.
	Accepted bool `json:"accepted,omitempty"`
	// Duplicated says that a gateway delivered the submission twice and both were processed.
	Duplicated bool `json:"duplicated,omitempty"`
	// Codes are the sub-error codes of the answer.
	Codes []string `json:"codes,omitempty"`
	// JTI is the id of the assertion of a token exchange.
	JTI string `json:"jti,omitempty"`
	// Fault is what was done to the call on purpose.
	Fault FaultKind `json:"fault,omitempty"`
}

// Rule is a rule of the protocol that a client can break.
type Rule string

// The rules whose violations are noted.
const (
	RuleHeader         Rule = "Header"         // a required header is missing
	RulePath           Rule = "Path"           // the path is not in the specification
	RuleMethod         Rule = "Method"         // the path does not have the method
	RuleVersion        Rule = "Version"        // the version is not offered by the path
	RuleBody           Rule = "Body"           // the body is not JSON
	RuleField          Rule = "Field"          // the body has a field that the version does not know
	RuleIdempotencyKey Rule = "IdempotencyKey" // a POST carries a header that lets transports send it again
	RuleTokenReuse     Rule = "TokenReuse"     // an assertion was used twice (spec §8: single use)
	RuleAssertion      Rule = "Assertion"      // an assertion breaks spec §5
	RulePollInterval   Rule = "PollInterval"   // a request was polled too soon (spec §8)
)

// Violation is something a client did against the rules.
type Violation struct {
	Time      time.Time `json:"time"`
	Rule      Rule      `json:"rule"`
	Detail    string    `json:"detail"`
	Operation Operation `json:"operation"`
	Path      string    `json:"path"`
}

// Count says how often something was submitted.
type Count struct {
	// Seen is how many POSTs arrived.
	Seen int `json:"seen"`
	// Processed is how many of them took effect, whatever was answered.
	Processed int `json:"processed"`
	// Duplicated is how many of these a gateway delivered a second time, which was processed as well.
	// Only a hostile carrier has such a gateway.
	Duplicated int `json:"duplicated,omitempty"`
}

// journal is what has happened so far; the store's mutex guards it.
type journal struct {
	calls      ring[Call]
	violations ring[Violation]
	deliveries ring[Delivery]
	counts     map[submission]Count
}

// submission is what submissions are counted by.
type submission struct {
	operation Operation
	subject   string
}

func newJournal(limit int) journal {
	if limit <= 0 {
		limit = defaultJournalLimit
	}
	return journal{
		calls: ring[Call]{limit: limit}, violations: ring[Violation]{limit: limit},
		deliveries: ring[Delivery]{limit: limit},
		counts:     make(map[submission]Count),
	}
}

// What a caller can fill the journal with is bounded: the texts in it, and the subjects that are
// counted apart. Beyond these only known subjects, and the total, are counted.
const (
	longestText  = 256
	mostSubjects = 1 << 20
)

// clip shortens a text that a caller chose, and lets go of the body it was cut from.
func clip(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:longestText], ""))
}

// add writes a call down and counts it when it submits something.
func (j *journal) add(call Call) {
	call.Method, call.Path, call.Client = clip(call.Method), clip(call.Path), clip(call.Client)
	call.Subject, call.RequestID, call.JTI = clip(call.Subject), clip(call.RequestID), clip(call.JTI)
	j.calls.add(call)
	if call.Method != http.MethodPost {
		return
	}
	subjects := []string{"", call.Subject} // all, and this one
	if call.Subject == "" {
		subjects = subjects[:1]
	}
	for _, subject := range subjects {
		of := submission{call.Operation, subject}
		count, known := j.counts[of]
		if known || len(j.counts) < mostSubjects {
			j.counts[of] = count.with(call)
		}
	}
}

// with is the count with one call more.
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

// violate notes that the call breaks a rule.
func (x *exchange) violate(rule Rule, detail string) {
	x.sim.journal.violations.add(Violation{
		Time: x.now, Rule: rule, Detail: clip(detail), Operation: x.call.Operation, Path: clip(x.call.Path),
	})
}

// Calls returns the calls so far, oldest first.
func (s *Simulator) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.calls.all()
}

// Violations returns what clients did against the rules, oldest first.
func (s *Simulator) Violations() []Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.violations.all()
}

// Submissions counts the POSTs of an operation for a service; service 0 counts them all.
func (s *Simulator) Submissions(operation Operation, serviceID int64) Count {
	if serviceID == 0 {
		return s.SubmissionsAbout(operation, "")
	}
	return s.SubmissionsAbout(operation, strconv.FormatInt(serviceID, 10))
}

// SubmissionsAbout is Submissions for what is not a service: a location id, order id or customer
// reference.
func (s *Simulator) SubmissionsAbout(operation Operation, subject string) Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.counts[submission{operation, clip(subject)}]
}

// ring keeps the newest values.
type ring[T any] struct {
	limit  int
	values []T
	oldest int
}

func (r *ring[T]) add(value T) {
	if len(r.values) < r.limit {
		r.values = append(r.values, value)
		return
	}
	r.values[r.oldest] = value
	r.oldest = (r.oldest + 1) % r.limit
}

// all returns a copy, oldest first.
func (r *ring[T]) all() []T {
	return slices.Concat(r.values[r.oldest:], r.values[:r.oldest])
}
