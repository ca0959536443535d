package simulator

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

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
	return response{}, problem.Refused(problem.SubError{
		Code: kind.failed, Message: cmp.Or(r.ErrorDetail, "The request has failed"),
		Object: kind.object, Field: statusField, RejectedValue: status,
	})
}

// ownRequest finds the request in the path. A request of another client or operation does not
// exist.
func (x *exchange) ownRequest() (*request, error) {
	if x.route.rules.numericID && !numeric(x.id) {
		return nil, problem.NotNumeric("id")
	}
	r, found := x.sim.requests[x.id]
	if found && x.sim.hostile.hides(r, x.now) {
		return nil, problem.NotFound()
	}
	if !found || r.Operation != x.route.operation || r.Client != x.client.Name {
		return nil, problem.NotFound()
	}
	if r.ServiceID != 0 && x.sim.services[r.ServiceID] == nil {
		return nil, problem.NotFound() // the service was removed
	}
	return r, nil
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

func (f family) inProgress(x *exchange, r *request) response {
	resp := response{status: http.StatusAccepted}
	if f.pending != nil {
		resp.body = f.pending(x, r)
	}
	return resp
}
