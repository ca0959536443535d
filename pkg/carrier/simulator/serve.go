package simulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// maxBodyBytes limits a request body. The largest in the specification, an order, needs a few
// kilobytes.
const maxBodyBytes = 1 << 20

// ServeHTTP implements the carrier API.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{sim: s, request: r}
	x.body, x.bodyErr = readBounded(w, r.Body, maxBodyBytes)
	resp := s.process(x)
	if s.options.Observe != nil {
		s.options.Observe(x.call)
	}
	x.send(r.Context(), w, resp)
}

// readBounded reads a body of at most limit bytes. If the body belongs to no call, w is nil.
func readBounded(w http.ResponseWriter, body io.Reader, limit int64) ([]byte, error) {
	var buffer bytes.Buffer
	if _, err := buffer.ReadFrom(http.MaxBytesReader(w, io.NopCloser(body), limit)); err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	return buffer.Bytes(), nil
}

// process determines the response. Calls of the carrier API access the store only here.
func (s *Simulator) process(x *exchange) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	x.now = s.now()
	x.identify()
	x.checkPollInterval()
	x.fault = s.takeFault(x.route, x.call.ServiceID)
	if x.fault.Kind == FaultNone && x.route != nil {
		x.fault = s.hostile.fault()
	}
	var resp response
	if x.fault.processes() {
		resp = x.handle()
		resp = x.duplicate(resp)
	}
	resp = x.fault.apply(resp, x.request.URL, problem.Standard(x.fault.Status).Body(x.now))
	x.call.Fault, x.call.Status = x.fault.Kind, resp.status
	s.state.Journal.add(x.call)
	return resp
}

// identify determines the subject of the call before any check, so that the journal has it even for
// calls that are refused or cut.
func (x *exchange) identify() {
	r := x.request
	x.call = Call{Time: x.now, Method: r.Method, Path: r.URL.Path, Operation: OpUnknown}
	x.route, x.id, x.allowed = x.sim.lookup(r.Method, r.URL.Path)
	if x.route == nil {
		return
	}
	x.call.Operation = x.route.operation
	x.call.RequestID = x.id
	x.call.Version = versionOf(r)
	if holder := x.sim.bearer(r); holder != nil {
		x.call.Client = holder.Name
	}
	if x.route.body != "" && x.bodyErr == nil {
		x.fields, x.parsed = parseFields(x.body)
		x.fields = x.sim.word.Read(x.fields)
		x.call.Subject = x.subject()
	}
	x.call.ServiceID = x.serviceID()
}

// subject returns the value of the field that identifies the subject of a submission.
func (x *exchange) subject() string {
	if id := x.fields.number(x.route.body); id != 0 {
		return strconv.FormatInt(id, 10)
	}
	return x.fields.text(x.route.body)
}

// handle applies the common rules, then the route's own handler.
func (x *exchange) handle() response {
	for _, rule := range commonRules() {
		if err := rule(x); err != nil {
			return x.refusal(err)
		}
	}
	resp, err := x.route.handle(x)
	if err != nil {
		return x.refusal(err)
	}
	return resp
}

// refusal returns the response for an error.
func (x *exchange) refusal(err error) response {
	p, known := errors.AsType[*problem.Error](err)
	if !known {
		p = problem.Standard(http.StatusInternalServerError)
	}
	for _, sub := range p.SubErrors {
		x.call.Codes = append(x.call.Codes, sub.Code)
	}
	return response{status: p.Status, body: p.Body(x.now), header: p.Header}
}

// duplicate simulates a gateway that delivers a call a second time, as the fault requires. A
// hostile carrier occasionally receives an accepted submission twice. The second response is then
// returned only if the second delivery is accepted, too. A hostile carrier also occasionally loses
// all requests.
func (x *exchange) duplicate(first response) response {
	hostile := x.sim.hostile
	x.distortion = hostile.distortion()
	if hostile.chance(1) {
		x.sim.state.Requests = make(map[string]*request)
	}
	doubled := x.fault.Kind == FaultDouble
	if !doubled && (!x.call.Accepted || !hostile.chance(10)) {
		return first
	}
	of := x.call
	x.call.Accepted, x.call.Codes = false, nil
	second := x.handle()
	switch {
	case x.call.Accepted:
		x.call.Duplicated = of.Accepted
		return second
	case doubled:
		of.Codes = x.call.Codes
		x.call = of
		return second
	default:
		x.call = of
		return first
	}
}

// send writes the response, or applies the fault instead.
func (x *exchange) send(ctx context.Context, w http.ResponseWriter, resp response) {
	x.fault.send(w, resp, writeOptions{
		now: x.now.Add(x.sim.dateSkew), headers: commonHeaders(), exact: x.sim.options.Seed.ExactReplies,
		wait: x.sim.waiter(ctx), distortion: x.distortion, word: x.sim.word,
	})
}

// commonHeaders returns the headers of spec §1 rule 5.
func commonHeaders() map[string]string {
	return map[string]string{
		"X-Content-Type-Options": "nosniff",
		"X-XSS-Protection":       "1; mode=block",
		"Cache-Control":          "no-cache, no-store, max-age=0, must-revalidate",
		"Pragma":                 "no-cache",
		"Expires":                "0",
		"X-Frame-Options":        "DENY",
	}
}
