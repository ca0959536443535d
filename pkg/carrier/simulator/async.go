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
	fam := x.sim.families[x.route.operation]
	r := x.newRequest(fam)
	if fam.accept != nil {
		if err := fam.accept(x, r); err != nil {
			return response{}, err
		}
	}
	x.decideOutcome(fam, r)
	x.sim.begin(fam, x.service, r)
	x.call.Accepted, x.call.RequestID, x.call.EndsInError = true, r.ID, r.Failure != ""
	path := x.sim.readPath(r.Operation, x.version, r.ID)
	return response{status: http.StatusCreated, location: x.formatLocation(path)}, nil
}

func (x *exchange) newRequest(fam family) *request {
	number := x.sim.nextID()
	r := &request{
		ID: strconv.FormatInt(number, 10), Number: number, Operation: x.route.operation,
		Client: x.client.Name, ServiceID: x.serviceID(), Body: x.fields.encode(),
		SubmittedAt: x.now, DoneAt: x.now.Add(x.sim.delay(x.route.operation, x.serviceID())),
	}
	if fam.opaque {
		r.ID = opaqueID(number)
	}
	return r
}

// decideOutcome decides how an accepted request ends: by the fault of the call, or else by the
// seed of its service.
func (x *exchange) decideOutcome(fam family, r *request) {
	var outcome Outcome
	if x.service != nil {
		outcome = x.service.Outcomes[string(r.Operation)]
	}
	failure := cmp.Or(fam.failure, statusInError)
	switch {
	case x.fault.Kind == FaultAlterResult:
		altered := x.fault
		r.Altered = &altered
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
func (s *Simulator) begin(fam family, svc *serviceState, r *request) {
	s.state.Requests[r.ID] = r
	s.announceEnd(fam, svc, r)
	if fam.effect == nil {
		return
	}
	svc.modify(r.Operation, r.SubmittedAt, r.DoneAt)
	if r.Failure == "" {
		fam.effect(svc, r)
	}
}

// poll is the GET of the asynchronous pattern. A fault may change the result.
func poll(x *exchange) (response, error) {
	r, err := x.findRequest()
	if err != nil {
		return response{}, err
	}
	resp, err := x.read(r)
	altered := r.Altered
	if altered == nil || x.now.Before(r.DoneAt) || altered.Reads > 0 && r.AlteredReads >= altered.Reads {
		return resp, err
	}
	r.AlteredReads++
	if err != nil {
		resp = x.refusal(err)
	}
	return altered.alter(resp), nil
}

// read returns the carrier's response about a request: 202 in progress, 200 complete, 422 failed.
func (x *exchange) read(r *request) (response, error) {
	fam := x.sim.families[r.Operation]
	status := r.status(x.now)
	switch status {
	case statusCompleted:
		return response{status: http.StatusOK, body: fam.result(x, r)}, nil
	case statusTimeout:
		fam.failed = cmp.Or(fam.timedOut, fam.failed)
	}
	if x.now.Before(r.DoneAt) {
		// spec §3: also for IN_ERROR, while the request can still complete
		return x.sim.hostile.toggleBody(fam.pendingResponse(x, r), status), nil
	}
	return response{}, problem.Refused(problem.SubError{
		Code: fam.failed, Message: cmp.Or(r.ErrorDetail, "The request has failed"),
		Object: fam.object, Field: statusField, RejectedValue: status,
	})
}

// findRequest finds the request in the path. A request of another client or operation does not
// exist.
func (x *exchange) findRequest() (*request, error) {
	if x.route.rules.numericID && !numeric(x.id) {
		return nil, problem.NotNumeric("id")
	}
	r, found := x.sim.state.Requests[x.id]
	if found && x.sim.hostile.hidesRequest(r, x.now) {
		return nil, problem.NotFound()
	}
	if !found || r.Operation != x.route.operation || r.Client != x.client.Name {
		return nil, problem.NotFound()
	}
	if r.ServiceID != 0 && x.sim.state.Services[r.ServiceID] == nil {
		return nil, problem.NotFound() // the service was removed
	}
	return r, nil
}

// checkPollInterval records a violation if a FibreBuildCharge request is polled more than once in 5
// seconds (spec §8). Polls count when they arrive, whatever their response.
func (x *exchange) checkPollInterval() {
	const minInterval = 5 * time.Second
	r := x.sim.state.Requests[x.id]
	if r == nil || r.Operation != x.call.Operation {
		return
	}
	if r.Operation == OpFibreBuildCharge && !r.PolledAt.IsZero() && x.now.Sub(r.PolledAt) < minInterval {
		x.recordViolation(RulePollInterval, "polled again after "+x.now.Sub(r.PolledAt).String())
	}
	r.PolledAt = x.now
}

func (f family) pendingResponse(x *exchange, r *request) response {
	resp := response{status: http.StatusAccepted}
	if f.pending != nil {
		resp.body = f.pending(x, r)
	}
	return resp
}
