package simulator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Management is the simulator's own interface under /_sim/: a page, and its test methods as JSON. It
// has no authentication, so it must be reachable from this machine only. A page of another origin
// cannot call it.
func (s *Simulator) Management() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sim/{$}", servePage)
	mux.HandleFunc("GET /_sim/overview", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Overview()) })
	mux.HandleFunc("GET /_sim/calls", serveList(s.Calls))
	mux.HandleFunc("GET /_sim/violations", serveList(s.Violations))
	mux.HandleFunc("GET /_sim/services", serveList(s.Services))
	mux.HandleFunc("GET /_sim/orders", serveList(s.Orders))
	mux.HandleFunc("GET /_sim/events", serveList(s.Deliveries))
	mux.HandleFunc("GET /_sim/services/{id}", s.serveService)
	mux.HandleFunc("GET /_sim/submissions/{operation}", s.serveSubmissions)
	mux.HandleFunc("POST /_sim/services", serveCommand(s.AddService))
	mux.HandleFunc("POST /_sim/plan", serveCommand(func(c command) error { return s.SetPlan(c.ServiceID, c.Plan) }))
	mux.HandleFunc("POST /_sim/modification", serveCommand(s.ModifyElsewhere))
	mux.HandleFunc("POST /_sim/service-read-lag", serveCommand(func(c command) error {
		s.SetServiceReadLag(time.Duration(c.Lag))
		return nil
	}))
	mux.HandleFunc("POST /_sim/health", serveCommand(func(c command) error {
		return s.SetHealth(c.ServiceID, c.Health)
	}))
	mux.HandleFunc("POST /_sim/cancellation", serveCommand(func(c command) error {
		return s.SetCancellation(c.ServiceID, c.Cancellation)
	}))
	mux.HandleFunc("POST /_sim/keys", serveCommand(func(c command) error { return s.SetKeys(c.Client, c.Keys) }))
	mux.HandleFunc("POST /_sim/callback", serveCommand(func(c command) error {
		return s.SetCallback(c.Client, c.Callback, c.Secret)
	}))
	mux.HandleFunc("POST /_sim/appointment-cancelled", serveCommand(func(c command) error {
		return s.CancelAppointment(c.OrderID, c.Reason)
	}))
	mux.HandleFunc("POST /_sim/order-rejected", serveCommand(func(c command) error {
		return s.RejectOrder(c.OrderID, c.Reason)
	}))
	mux.HandleFunc("POST /_sim/faults", serveCommand(func(a ArmedFault) error { return s.FailNext(a.Target, a.Fault) }))
	mux.HandleFunc("DELETE /_sim/faults", serveAction(s.Disarm))
	mux.HandleFunc("POST /_sim/advance", serveCommand(s.advance))
	mux.HandleFunc("POST /_sim/forget", serveAction(s.Forget))
	mux.HandleFunc("POST /_sim/revoke-tokens", serveAction(s.RevokeTokens))
	return http.NewCrossOriginProtection().Handler(mux)
}

// command has the arguments of all calls that do not have a type of their own.
type command struct {
	ServiceID    int64             `json:"serviceId"`
	OrderID      int64             `json:"orderId"`
	Client       string            `json:"client"`
	Plan         string            `json:"plan"`
	Health       Health            `json:"health"`
	Cancellation *Cancellation     `json:"cancellation"`
	Keys         map[string]string `json:"keys"`
	Callback     string            `json:"callback"`
	Secret       string            `json:"secret"`
	Reason       string            `json:"reason"`
	Lag          Duration          `json:"lag"`
	By           Duration          `json:"by"`
}

func (s *Simulator) advance(c command) error {
	s.Advance(time.Duration(c.By))
	return nil
}

func (s *Simulator) serveService(w http.ResponseWriter, r *http.Request) {
	service, known := s.Service(parseID(r.PathValue("id")))
	if !known {
		http.Error(w, "there is no such service", http.StatusNotFound)
		return
	}
	writeJSON(w, service)
}

// serveSubmissions counts by ?subject=, which is a service id for most operations. Without a
// subject it counts all.
func (s *Simulator) serveSubmissions(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, s.SubmissionsAbout(Operation(r.PathValue("operation")), r.URL.Query().Get("subject")))
}

// serveList responds with the values that a method returns, or with only the last ?last= of them.
func serveList[T any](list func() []T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values := list()
		if last, err := strconv.Atoi(r.URL.Query().Get("last")); err == nil && last >= 0 && last < len(values) {
			values = values[len(values)-last:]
		}
		writeJSON(w, values)
	}
}

// serveCommand calls a method with the decoded body. It responds with 204, or with 400 and the
// reason in plain text.
func serveCommand[T any](command func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var arguments T
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&arguments)
		if err == nil {
			err = command(arguments)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// serveAction calls a method without arguments.
func serveAction(command func()) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		command()
		w.WriteHeader(http.StatusNoContent)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", jsonMediaType)
	_, _ = w.Write(append(content, '\n')) //nolint:errcheck // the peer may have disconnected
}
