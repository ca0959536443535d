package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// maxBodyBytes limits a request body. The largest in the specification, an order, needs a few
// kilobytes.
const maxBodyBytes = 1 << 20

// exchange is one call of the carrier API, from request to response.
type exchange struct {
	sim     *Simulator
	request *http.Request
	body    []byte
	bodyErr error
	now     time.Time

	route   *route   // set by identify; nil if the specification has no such route
	allowed []string // the methods of the path if only the method is wrong
	id      string   // the id in the path
	fields  fields   // the body; nil if there is none or it cannot be read
	parsed  error    // why the body cannot be read

	client  *client       // set by the token rule
	version int           // set by the version rule
	service *serviceState // set by findService: the service that the call is about

	fault      Fault
	distortion *distortion
	call       Call // the journal entry
}

// response is a response before it is written.
type response struct {
	status   int
	location string
	body     any // nil for none, raw if it is not JSON
	header   map[string]string
}

// rawBody is a body that is sent unchanged.
type rawBody struct{ contentType, text string }

// ServeHTTP implements the carrier API.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{sim: s, request: r}
	x.body, x.bodyErr = readBounded(r.Body, maxBodyBytes)
	resp := s.process(x)
	if s.options.Observe != nil {
		s.options.Observe(x.call)
	}
	x.send(r.Context(), w, resp)
}

// process determines the response. Calls of the carrier API access the store only here.
func (s *Simulator) process(x *exchange) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	x.now = s.now()
	x.identify()
	x.fault = s.takeFault(x.route, x.call.ServiceID)
	if x.fault.Kind == FaultNone {
		x.fault = s.hostile.fault(x.route)
	}
	var resp response
	if x.fault.processes() {
		resp = x.handle()
		resp = x.duplicate(resp)
	}
	resp = x.fault.apply(resp, x)
	x.call.Fault, x.call.Status = x.fault.Kind, resp.status
	s.journal.add(x.call)
	return resp
}

// duplicate simulates a gateway that occasionally delivers an accepted submission a second time. If
// the second one is accepted too, its response is returned. A hostile carrier also occasionally
// loses all requests.
func (x *exchange) duplicate(first response) response {
	hostile := x.sim.hostile
	x.distortion = hostile.distortion()
	if hostile.chance(1) {
		x.sim.requests = make(map[string]*request)
	}
	if !x.call.Accepted || !hostile.chance(10) {
		return first
	}
	of := x.call
	x.call.Accepted = false
	second := x.handle()
	if !x.call.Accepted {
		x.call = of
		return first
	}
	x.call.Duplicated = true
	return second
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
		x.fields = x.sim.word.read(x.fields)
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

// serviceID returns the service that the call is about, zero if there is none.
func (x *exchange) serviceID() int64 {
	if x.route.body == serviceIDField {
		return x.fields.number(serviceIDField)
	}
	if x.route.rules.serviceID {
		return parseID(x.id)
	}
	if followed, found := x.sim.requests[x.id]; found && followed.Operation == x.route.operation {
		return followed.ServiceID
	}
	return 0
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
	p, known := errors.AsType[*problem](err)
	if !known {
		p = standard(http.StatusInternalServerError)
	}
	for _, sub := range p.subErrors {
		x.call.Codes = append(x.call.Codes, sub.Code)
	}
	return p.response(x.now)
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

// writeOptions has the differences between the two servers in how they write a response.
type writeOptions struct {
	now     time.Time
	headers map[string]string
	exact   bool // without the undocumented field
	// distortion is how a hostile carrier writes objects; nil for no distortion.
	distortion *distortion
	word       apiWord
	wait       func() // returns when nobody is waiting for the response any more
}

// write sends the response unchanged.
func (resp response) write(w http.ResponseWriter, opts writeOptions) {
	content := resp.encode(opts)
	resp.writeHead(w, opts)
	w.WriteHeader(resp.status)
	_, _ = w.Write(content) //nolint:errcheck // the peer may have disconnected
}

func (resp response) writeHead(w http.ResponseWriter, opts writeOptions) {
	header := w.Header()
	for name, value := range opts.headers {
		header.Set(name, value)
	}
	header.Set("Date", opts.now.UTC().Format(http.TimeFormat))
	if resp.location != "" {
		header.Set("Location", resp.location)
	}
	for name, value := range resp.header {
		header.Set(name, value)
	}
	switch body := resp.body.(type) {
	case nil:
	case rawBody:
		header.Set("Content-Type", body.contentType)
	default:
		header.Set("Content-Type", jsonMediaType)
	}
}

// unknownField is a field that no client knows, because objects may gain fields at any time.
const unknownField = `"_undocumented":{"since":9},`

// encode returns the body as sent.
func (resp response) encode(opts writeOptions) []byte {
	switch body := resp.body.(type) {
	case nil:
		return nil
	case rawBody:
		return []byte(body.text)
	}
	content, err := json.Marshal(resp.body)
	if err != nil {
		return nil // every body of this package can be marshaled
	}
	content = opts.word.write(content)
	if !opts.exact && content[0] == '{' && len(content) > len("{}") {
		content = append([]byte("{"+unknownField), content[1:]...)
	}
	return opts.distortion.apply(content)
}
