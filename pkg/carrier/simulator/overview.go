package simulator

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	_ "embed"
)

// page is the page under /_sim/: one file without other parts, so that it works without a network.
//
//go:embed overview.html
var page []byte

// overviewCalls is the maximum number of calls, of violations and of event deliveries in an
// overview.
const overviewCalls = 200

// Overview is what the page under /_sim/ shows: the state of the carrier at one moment.
type Overview struct {
	Now        time.Time      `json:"now"`
	Requests   []RequestState `json:"requests"` // newest first
	Services   []Service      `json:"services"`
	Orders     []PlacedOrder  `json:"orders"`
	Calls      []Call         `json:"calls"`      // the newest ones, newest first
	Violations []Violation    `json:"violations"` // the newest ones, newest first
	Deliveries []Delivery     `json:"deliveries"` // the newest ones, newest first
	Faults     []ArmedFault   `json:"faults"`     // in the order in which they occur
	Targets    []string       `json:"targets"`
	Kinds      []FaultKind    `json:"kinds"`
}

// RequestState is an accepted request with its status.
type RequestState struct {
	ID          string    `json:"id"`
	Operation   Operation `json:"operation"`
	Client      string    `json:"client"`
	ServiceID   int64     `json:"serviceId,omitempty"`
	Status      string    `json:"status"`
	SubmittedAt time.Time `json:"submittedAt"`
	DoneAt      time.Time `json:"doneAt"`
}

// Overview returns the state of the carrier at this moment.
func (s *Simulator) Overview() Overview {
	return locked(s, func() Overview {
		return Overview{
			Now: s.now(), Requests: s.requestStates(), Services: s.serviceList(), Orders: s.orderList(),
			Calls:      s.state.Journal.Calls.newest(overviewCalls),
			Violations: s.state.Journal.Violations.newest(overviewCalls),
			Deliveries: s.state.Journal.Deliveries.newest(overviewCalls),
			Faults:     append([]ArmedFault{}, s.state.Faults...), Targets: s.faultTargets(), Kinds: faultKinds(),
		}
	})
}

// requestStates returns all accepted requests, the newest first.
func (s *Simulator) requestStates() []RequestState {
	states, now := make([]RequestState, 0, len(s.state.Requests)), s.now()
	for _, r := range s.state.Requests {
		states = append(states, RequestState{
			ID: r.ID, Operation: r.Operation, Client: r.Client, ServiceID: r.ServiceID,
			Status: r.status(now), SubmittedAt: r.SubmittedAt, DoneAt: r.DoneAt,
		})
	}
	slices.SortFunc(states, func(a, b RequestState) int {
		return cmp.Or(b.SubmittedAt.Compare(a.SubmittedAt), cmp.Compare(b.ID, a.ID))
	})
	return states
}

// faultTargets returns the calls for which a fault can be armed.
func (s *Simulator) faultTargets() []string {
	targets := make([]string, 0, 2+len(s.routes)) //nolint:mnd // the two targets that are no route
	targets = append(targets, "*", string(OpToken))
	for _, r := range s.routes {
		targets = append(targets, r.name())
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// pagePolicy lets the page load only what this server sends, and forbids other pages from showing
// it in a frame.
const pagePolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
	"connect-src 'self'; frame-ancestors 'none'"

// servePage responds with the page.
func servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", pagePolicy)
	_, _ = w.Write(page) //nolint:errcheck // the peer may have disconnected
}
