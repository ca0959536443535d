package simulator

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// FaultKind is a kind of fault.
type FaultKind string

// The faults that can be armed.
const (
	// FaultNone leaves the call unchanged.
	FaultNone FaultKind = ""
	// FaultStatus responds with Status and the standard error body.
	FaultStatus FaultKind = "Status"
	// FaultPage responds with Status and the HTML page of a gateway.
	FaultPage FaultKind = "Page"
	// FaultBody responds with Status and Body, unchanged, as JSON.
	FaultBody FaultKind = "Body"
	// FaultReset closes the connection without a response.
	FaultReset FaultKind = "Reset"
	// FaultHang sends no response until the client disconnects or the simulator is closed.
	FaultHang FaultKind = "Hang"
	// FaultRedirect responds with Status (307 when zero) and Location, or the call's own URL.
	FaultRedirect FaultKind = "Redirect"
	// FaultCutBody processes the call and closes the connection in the middle of the response.
	FaultCutBody FaultKind = "CutBody"
	// FaultNoLocation processes the call and omits the Location.
	FaultNoLocation FaultKind = "NoLocation"
	// FaultLocation processes the call and sends this Location instead; {path} in it is replaced
	// with the true path.
	FaultLocation FaultKind = "Location"
	// FaultEndInError accepts the request, which then ends in error, with Body as its errorDetail.
	FaultEndInError FaultKind = "EndInError"
	// FaultStall accepts the request, which is then IN_ERROR for half of its time, with Body as its
	// errorDetail, before it continues and completes.
	FaultStall FaultKind = "Stall"
	// FaultTrickle processes the call and sends half of the response, then nothing more until the
	// client disconnects or the simulator is closed.
	FaultTrickle FaultKind = "Trickle"
	// FaultBomb processes the call and responds with a gigabyte of blanks, compressed to a
	// megabyte.
	FaultBomb FaultKind = "Bomb"
)

// Fault is a fault of one call.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Status is the response status.
	Status int `json:"status,omitempty"`
	// Processed makes a Status, Page, Body, Reset, Hang or Redirect occur after the call has taken
	// effect. Otherwise the call never reaches the carrier.
	Processed bool `json:"processed,omitempty"`
	// RetryAfter is sent unchanged with a Status or Page.
	RetryAfter string `json:"retryAfter,omitempty"`
	// Location is the Location of a Redirect or Location fault.
	Location string `json:"location,omitempty"`
	// Body is the body of a Body fault, or the error detail of an EndInError fault.
	Body string `json:"body,omitempty"`
	// ServiceID restricts the fault to calls about one service.
	ServiceID int64 `json:"serviceId,omitempty"`
	// Times is the number of affected calls, 1 when zero.
	Times int `json:"times,omitempty"`
}

// armedFault is a fault that waits for its call.
type armedFault struct {
	target string
	fault  Fault
}

// FailNext arms a fault for the next call of the target. The target is "POST PlanChange" or "GET
// PlanChange", or "PlanChange" for the operation's POST if it has one, or "*" for any call. The
// token exchange is "Token". Each call consumes one fault; faults for the same target occur in the
// order in which they were armed.
func (s *Simulator) FailNext(target string, fault Fault) error {
	if !s.knownTarget(target) {
		return fmt.Errorf("there is no call %q to fail", target)
	}
	if !slices.Contains(faultKinds(), fault.Kind) {
		return fmt.Errorf("there is no fault %q", fault.Kind)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	for range max(1, fault.Times) {
		s.faults = append(s.faults, armedFault{target: target, fault: fault})
	}
	return nil
}

func faultKinds() []FaultKind {
	return []FaultKind{
		FaultStatus, FaultPage, FaultBody, FaultReset, FaultHang, FaultRedirect,
		FaultCutBody, FaultNoLocation, FaultLocation, FaultEndInError, FaultStall, FaultTrickle, FaultBomb,
	}
}

// Armed returns how many armed faults have not occurred yet.
func (s *Simulator) Armed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.faults)
}

// Disarm removes all armed faults.
func (s *Simulator) Disarm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.faults = nil
}

func (s *Simulator) knownTarget(target string) bool {
	if target == "*" || target == string(OpToken) {
		return true
	}
	return slices.ContainsFunc(s.routes, func(r route) bool { return s.targets(target, &r) })
}

// targets reports whether a target matches the route.
func (s *Simulator) targets(target string, r *route) bool {
	if target == "*" || target == r.name() {
		return true
	}
	if target != string(r.operation) {
		return false
	}
	_, submitted := s.families[r.operation]
	return r.method == http.MethodPost || !submitted
}

// takeFault removes and returns the first armed fault that matches a call.
func (s *Simulator) takeFault(r *route, serviceID int64) Fault {
	if r == nil {
		return Fault{}
	}
	i := slices.IndexFunc(s.faults, func(a armedFault) bool {
		return s.targets(a.target, r) && (a.fault.ServiceID == 0 || a.fault.ServiceID == serviceID)
	})
	if i < 0 {
		return Fault{}
	}
	fault := s.faults[i].fault
	s.faults = slices.Delete(s.faults, i, i+1)
	return fault
}

// processes reports whether the call reaches the carrier.
func (f Fault) processes() bool {
	switch f.Kind {
	case FaultNone, FaultCutBody, FaultNoLocation, FaultLocation, FaultEndInError, FaultStall,
		FaultTrickle, FaultBomb:
		return true
	case FaultStatus, FaultPage, FaultBody, FaultReset, FaultHang, FaultRedirect:
		return f.Processed
	}
	return true
}

// apply applies the fault to a response. Status zero means that there is no response.
func (f Fault) apply(resp response, x *exchange) response {
	switch f.Kind {
	case FaultReset, FaultHang:
		return response{}
	case FaultStatus, FaultPage, FaultBody, FaultRedirect:
		return f.ownResponse(x.request.URL, x.now)
	case FaultNoLocation:
		resp.location = ""
	case FaultLocation:
		if resp.location != "" {
			resp.location = f.locationFor(resp.location)
		}
	case FaultNone, FaultCutBody, FaultEndInError, FaultStall, FaultTrickle, FaultBomb:
	}
	return resp
}

// ownResponse returns the fault's own response, which is independent of the call.
func (f Fault) ownResponse(called *url.URL, now time.Time) response {
	resp := response{status: f.Status, header: f.header()}
	if f.Kind == FaultRedirect {
		resp.status = cmp.Or(f.Status, http.StatusTemporaryRedirect)
		resp.location = cmp.Or(f.Location, called.Path)
		return resp
	}
	if f.Kind == FaultBody {
		resp.body = rawBody{jsonMediaType, f.Body}
		return resp
	}
	if f.Kind == FaultPage {
		page := fmt.Sprintf("<html><body><h1>%d %s</h1></body></html>\n", f.Status, http.StatusText(f.Status))
		resp.body = rawBody{"text/html", page}
		return resp
	}
	resp.body = standard(f.Status).response(now).body
	return resp
}

func (f Fault) header() map[string]string {
	if f.RetryAfter == "" {
		return nil
	}
	return map[string]string{"Retry-After": f.RetryAfter}
}

// locationFor returns the fault's Location with the true path filled in.
func (f Fault) locationFor(location string) string {
	path := location
	if parsed, err := url.Parse(location); err == nil {
		path = parsed.Path
	}
	return strings.ReplaceAll(f.Location, "{path}", path)
}
