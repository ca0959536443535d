package simulator

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// The statuses of requests in the specification (spec §2, §3).
const (
	statusOpen       = "OPEN"
	statusInProgress = "IN_PROGRESS"
	statusCompleted  = "COMPLETED"
	statusInError    = "IN_ERROR"
	statusRetry      = "IN_ERROR_RETRY"
	statusFailed     = "FAILED"
	statusError      = "ERROR_OCCURRED" // of a diagnostic test
	statusTimeout    = "TIMEOUT"        // of a diagnostic test
)

// request is an accepted submission: its body, and when it began and will end. Only PolledAt
// changes later.
type request struct {
	ID          string          `json:"id"`
	Number      int64           `json:"number"`
	Operation   Operation       `json:"operation"`
	Client      string          `json:"client"`
	ServiceID   int64           `json:"serviceId,omitempty"`
	Body        json.RawMessage `json:"asked"`
	SubmittedAt time.Time       `json:"submittedAt"`
	DoneAt      time.Time       `json:"doneAt"`
	// Failure is the final status if it does not complete.
	Failure     string `json:"failure,omitempty"`
	ErrorDetail string `json:"errorDetail,omitempty"`
	// Stalled means that it is in error for a while and then continues.
	Stalled bool `json:"stalled,omitempty"`

	// PolledAt is the time of the last poll, for the rule on polling.
	PolledAt time.Time `json:"polledAt,omitzero"`
}

// status computes the current status. A request is open for the first quarter of its time. If it
// stalls, it is in error for the two middle quarters.
func (r *request) status(now time.Time) string {
	quarter := r.DoneAt.Sub(r.SubmittedAt) / 4
	switch {
	case !now.Before(r.DoneAt):
		return cmp.Or(r.Failure, statusCompleted)
	case now.Before(r.SubmittedAt.Add(quarter)):
		return statusOpen
	case r.Stalled && now.Before(r.DoneAt.Add(-quarter)):
		return r.stalledStatus()
	default:
		return statusInProgress
	}
}

// stalledStatus is the status of a stalled request. Spec §3: for an aggregation conversion this is
// IN_ERROR. For all others IN_ERROR is final, and IN_ERROR_RETRY is not.
func (r *request) stalledStatus() string {
	if r.Operation == OpAggregationConversion {
		return statusInError
	}
	return statusRetry
}

// errorDetailAt returns the error detail of the request at an instant, null if there is none.
func (r *request) errorDetailAt(now time.Time) *string {
	if status := r.status(now); status == statusOpen || status == statusCompleted && r.Failure == "" && !r.Stalled {
		return nil
	}
	return orNull(r.ErrorDetail)
}

func (r *request) body() fields {
	parsed, err := parseFields(r.Body)
	if err != nil {
		return nil // it was parsed before it was accepted
	}
	return parsed
}

// family is everything that differs between the asynchronous operations. All use submit and poll.
type family struct {
	operation Operation
	// accept checks a submission for a service of the client; nil accepts everything. It may set
	// Failure and ErrorDetail, so that the request is accepted and fails later.
	accept func(*exchange, *request) error
	// effect is the effect of a completed request on the service; nil if it only reads.
	effect func(*serviceState, *request)
	// announce returns the events that announce its end. It is called when the request begins; nil
	// for none.
	announce func(*Simulator, *serviceState, *request) []eventKind
	// pending is the body of a 202; nil for none.
	pending func(*exchange, *request) any
	// result is the body of a 200.
	result func(*exchange, *request) any
	// failed is the sub-error code of a request that did not complete, timedOut that of one that
	// took too long. object is the resource's name in both.
	failed, timedOut, object string
	// failure is the status of a request that did not complete; IN_ERROR when empty.
	failure string
	// opaque means that the id is opaque text.
	opaque bool
}

func families() []family {
	return []family{
		planChangeFamily(),
		planOptionsFamily(),
		healthFamily(),
		aggregationFamily(),
		profileFamily(),
		fibreFamily(),
		reclaimFamily(),
		slotsFamily(),
		diagnosticFamily(),
	}
}

// submit is the POST of the asynchronous pattern (spec §1 rule 3): 201, no body, a Location.
func submit(x *exchange) (response, error) {
	if err := x.findService(); err != nil {
		return response{}, err
	}
	kind := x.sim.families[x.route.operation]
	r := x.newRequest(kind)
	if kind.accept != nil {
		if err := kind.accept(x, r); err != nil {
			return response{}, err
		}
	}
	x.decideOutcome(kind, r)
	x.sim.begin(kind, x.service, r)
	x.call.Accepted, x.call.RequestID = true, r.ID
	return response{status: http.StatusCreated, location: x.location(r)}, nil
}

// decideOutcome decides how an accepted request ends, by the fault or the service's seed.
func (x *exchange) decideOutcome(kind family, r *request) {
	var outcome Outcome
	if x.service != nil {
		outcome = x.service.Outcomes[string(r.Operation)]
	}
	failure := cmp.Or(kind.failure, statusInError)
	switch {
	case x.fault.Kind == FaultEndInError:
		r.Failure, r.ErrorDetail = failure, x.fault.Body
	case x.fault.Kind == FaultStall:
		r.Stalled, r.ErrorDetail = true, x.fault.Body
	case outcome == OutcomeFails:
		r.Failure, r.ErrorDetail = failure, "The carrier could not carry out the request"
	case outcome == OutcomeTimesOut:
		r.Failure, r.ErrorDetail = statusTimeout, "The carrier did not respond in time"
	case outcome == OutcomeStalls:
		r.Stalled, r.ErrorDetail = true, "The carrier is investigating"
	}
}

func (x *exchange) newRequest(kind family) *request {
	number := x.sim.nextID()
	r := &request{
		ID: strconv.FormatInt(number, 10), Number: number, Operation: x.route.operation,
		Client: x.client.Name, ServiceID: x.serviceID(), Body: x.fields.encode(),
		SubmittedAt: x.now, DoneAt: x.now.Add(x.sim.delay(x.route.operation)),
	}
	if kind.opaque {
		r.ID = opaqueID(number)
	}
	return r
}

func (f fields) encode() json.RawMessage {
	content, err := json.Marshal(f)
	if err != nil {
		return nil // every member was parsed from JSON
	}
	return content
}

// begin stores a request and schedules its effect.
func (s *Simulator) begin(kind family, svc *serviceState, r *request) {
	s.requests[r.ID] = r
	s.announceEnd(kind, svc, r)
	if kind.effect == nil {
		return
	}
	svc.busyUntil, svc.busyWith = r.DoneAt, r.Operation
	if r.Failure == "" {
		kind.effect(svc, r)
	}
}

func (x *exchange) location(r *request) string {
	return x.formatLocation(x.sim.readPath(r.Operation, x.version, r.ID))
}

// formatLocation returns a path in the form that the seed requires.
func (x *exchange) formatLocation(path string) string {
	form := x.sim.options.Seed.Location
	if form == LocationPath || form == LocationMixed && len(x.sim.requests)%2 == 0 {
		return path
	}
	return origin(x.request, x.sim.options.CarrierURL) + path
}

// origin returns the configured origin, or that of the call.
func origin(r *http.Request, configured string) string {
	if configured != "" {
		return configured
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// poll is the GET of the asynchronous pattern: 202 in progress, 200 complete, 422 failed.
func poll(x *exchange) (response, error) {
	r, err := x.ownRequest()
	if err != nil {
		return response{}, err
	}
	x.checkPollInterval(r)
	kind := x.sim.families[r.Operation]
	status := r.status(x.now)
	switch status {
	case statusCompleted:
		return response{status: http.StatusOK, body: kind.result(x, r)}, nil
	case statusTimeout:
		kind.failed = cmp.Or(kind.timedOut, kind.failed)
	}
	if x.now.Before(r.DoneAt) {
		// spec §3: also IN_ERROR, while it can still complete
		return x.sim.hostile.toggleBody(kind.inProgress(x, r), status), nil
	}
	return response{}, refused(subError{
		Code: kind.failed, Message: cmp.Or(r.ErrorDetail, "The request has failed"),
		Object: kind.object, Field: statusField, RejectedValue: status,
	})
}

func (f family) inProgress(x *exchange, r *request) response {
	resp := response{status: http.StatusAccepted}
	if f.pending != nil {
		resp.body = f.pending(x, r)
	}
	return resp
}

// ownRequest finds the request in the path. A request of another client or operation does not
// exist.
func (x *exchange) ownRequest() (*request, error) {
	if x.route.rules.numericID && !numeric(x.id) {
		return nil, notNumeric("id")
	}
	r, found := x.sim.requests[x.id]
	if found && x.sim.hostile.hides(r, x.now) {
		return nil, notFound()
	}
	if !found || r.Operation != x.route.operation || r.Client != x.client.Name {
		return nil, notFound()
	}
	if r.ServiceID != 0 && x.sim.services[r.ServiceID] == nil {
		return nil, notFound() // the service was removed
	}
	return r, nil
}

// numeric reports whether an id is a number (spec §1 rule 4).
func numeric(id string) bool {
	_, err := strconv.ParseInt(id, 10, 64)
	return err == nil
}

// parseID returns an id in a path as a number, zero if it is not one.
func parseID(id string) int64 {
	parsed, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return parsed
}

// checkPollInterval records a violation if a FibreBuildCharge request is polled more than once in 5
// seconds (spec §8).
func (x *exchange) checkPollInterval(r *request) {
	const shortest = 5 * time.Second
	if r.Operation == OpFibreBuildCharge && !r.PolledAt.IsZero() && x.now.Sub(r.PolledAt) < shortest {
		x.recordViolation(RulePollInterval, "polled again after "+x.now.Sub(r.PolledAt).String())
	}
	r.PolledAt = x.now
}

// timestamp returns a date-time with its UTC offset, in Z form (spec §1 rule 6).
func timestamp(t time.Time) string {
	return t.UTC().Format(time.RFC3339)
}
