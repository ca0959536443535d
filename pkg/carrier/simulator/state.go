package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/outbox"
)

// stateVersion is the version of the state format.
const stateVersion = 1

// state is what can change after the seed is loaded. The offer and the qualifications are not part
// of it, so they are always those of the seed, without what AddQualification added.
type state struct {
	Version     int             `json:"version"`
	Skew        Duration        `json:"skew"`
	ReadLag     Duration        `json:"readLag,omitempty"`
	LastID      int64           `json:"lastId"`
	LastEvent   int64           `json:"lastEvent"`
	Clients     []savedClient   `json:"clients"`
	Services    []savedService  `json:"services"`
	Requests    []*request      `json:"requests"`
	Orders      []orderState    `json:"orders"`
	Events      []*outbox.Event `json:"events"`
	Faults      []savedFault    `json:"faults"`
	Tokens      []savedToken    `json:"tokens"`
	Assertions  []savedToken    `json:"assertions"`
	Calls       []Call          `json:"calls"`
	Violations  []Violation     `json:"violations"`
	Deliveries  []Delivery      `json:"deliveries"`
	Submissions []savedCount    `json:"submissions"`
	Hostility   *savedHostility `json:"hostility,omitempty"`
}

// savedClient has the fields of a client that can change.
type savedClient struct {
	Name           string            `json:"name"`
	Keys           map[string]string `json:"keys"`
	Callback       string            `json:"callback,omitempty"`
	CallbackSecret string            `json:"callbackSecret,omitempty"`
}

// savedService is a service with its timelines.
type savedService struct {
	Service      Service                `json:"service"`
	Plan         timeline[planAndTerm]  `json:"plan"`
	SLA          timeline[string]       `json:"sla"`
	Aggregation  timeline[string]       `json:"aggregation"`
	Profile      timeline[string]       `json:"profile"`
	Cancellation cancellation           `json:"ending"`
	Modification timeline[modification] `json:"modification"`
	TestedUntil  time.Time              `json:"testedUntil,omitzero"`
	CheckedUntil time.Time              `json:"checkedUntil,omitzero"`
}

type savedFault struct {
	Fault

	Target string `json:"target"`
}

// savedToken is an access token with its holder, or an assertion that was used.
type savedToken struct {
	Token   string    `json:"token"`
	Holder  string    `json:"holder,omitempty"`
	Expires time.Time `json:"expires"`
}

type savedCount struct {
	Count

	Operation Operation `json:"operation"`
	Subject   string    `json:"subject,omitempty"`
}

// Save writes what can change, except the qualifications: services, requests, orders, events,
// tokens, the journal and the clock. This includes access tokens and callback secrets.
func (s *Simulator) Save(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(s.state()); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// state returns a copy of the store. It shares only values that never change; requests, events and
// services are copied.
func (s *Simulator) state() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved := state{
		Version: stateVersion, Skew: Duration(s.skew), ReadLag: Duration(s.readLag),
		LastID: s.lastID, LastEvent: s.outbox.Last,
		Calls: s.journal.calls.all(), Violations: s.journal.violations.all(), Deliveries: s.journal.deliveries.all(),
		Orders: slices.Collect(maps.Values(s.orders)), Hostility: s.hostile.save(), Events: s.outbox.Copies(),
	}
	for _, c := range s.clients {
		saved.Clients = append(saved.Clients, savedClient{c.Name, c.Keys, c.Callback, c.CallbackSecret})
	}
	for _, svc := range s.services {
		saved.Services = append(saved.Services, svc.save())
	}
	for _, r := range s.requests {
		copied := *r
		saved.Requests = append(saved.Requests, &copied)
	}
	for _, armed := range s.faults {
		saved.Faults = append(saved.Faults, savedFault{Fault: armed.fault, Target: armed.target})
	}
	s.saveTokens(&saved)
	return saved
}

// saveTokens copies the state of the identity provider and the counts of the journal.
func (s *Simulator) saveTokens(saved *state) {
	for token, held := range s.tokens.entries {
		saved.Tokens = append(saved.Tokens, savedToken{token, held.value.Name, held.expires})
	}
	for jti, used := range s.jtis.entries {
		saved.Assertions = append(saved.Assertions, savedToken{Token: jti, Expires: used.expires})
	}
	for of, count := range s.journal.counts {
		saved.Submissions = append(saved.Submissions, savedCount{count, of.operation, of.subject})
	}
}

func (svc *serviceState) save() savedService {
	return savedService{
		Service: svc.Service, Plan: slices.Clone(svc.plan), SLA: slices.Clone(svc.sla),
		Aggregation: slices.Clone(svc.aggregation), Profile: slices.Clone(svc.profile), Cancellation: svc.cancellation,
		Modification: slices.Clone(svc.modification), TestedUntil: svc.testedUntil,
		CheckedUntil: svc.checkedUntil,
	}
}

// Restore replaces everything that Save writes with a saved state. Services and orders are then
// those of the state. Clients, plans and locations remain the seed's, with the clients' keys and
// callbacks from the state.
func (s *Simulator) Restore(r io.Reader) error {
	var saved state
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	decoder.UseNumber() // the ids in the resource of an order are above 2^53
	if err := decoder.Decode(&saved); err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	keys, err := saved.check()
	if err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew, s.readLag, s.lastID = time.Duration(saved.Skew), time.Duration(saved.ReadLag), saved.LastID
	for i, c := range saved.Clients {
		if holder := s.clients[c.Name]; holder != nil {
			holder.Keys, holder.keys = c.Keys, keys[i]
			holder.Callback, holder.CallbackSecret = c.Callback, c.CallbackSecret
		}
	}
	s.restoreStore(&saved)
	s.restoreTokens(&saved)
	s.restoreJournal(&saved)
	s.hostile.restore(saved.Hostility)
	return nil
}

// check validates everything that is required to restore a state, and parses the keys of its
// clients.
func (saved *state) check() ([]parsedKeys, error) {
	if saved.Version != stateVersion {
		return nil, fmt.Errorf("the version is %d and not %d", saved.Version, stateVersion)
	}
	for i := range saved.Services {
		if !saved.Services[i].isComplete() {
			return nil, fmt.Errorf("services[%d]: a part is missing", i)
		}
	}
	if slices.Contains(saved.Requests, nil) || slices.Contains(saved.Events, nil) {
		return nil, errors.New("a request or event is null")
	}
	keys := make([]parsedKeys, 0, len(saved.Clients))
	for _, c := range saved.Clients {
		parsed, err := parseKeys(c.Keys)
		if err != nil {
			return nil, fmt.Errorf("keys of %q: %w", c.Name, err)
		}
		keys = append(keys, parsed)
	}
	return keys, nil
}

// isComplete reports whether all parts that other code uses without checking are present.
func (saved *savedService) isComplete() bool {
	return saved.Service.ID > 0 && saved.Service.AVCID != nil && len(saved.Plan) > 0 && len(saved.SLA) > 0 &&
		len(saved.Aggregation) > 0 && len(saved.Profile) > 0 && len(saved.Modification) > 0
}

func (s *Simulator) restoreStore(saved *state) {
	s.services = make(map[int64]*serviceState, len(saved.Services))
	for _, svc := range saved.Services {
		s.services[svc.Service.ID] = &serviceState{
			Service: svc.Service, plan: svc.Plan, sla: svc.SLA, aggregation: svc.Aggregation, profile: svc.Profile,
			cancellation: svc.Cancellation, modification: svc.Modification, testedUntil: svc.TestedUntil,
			checkedUntil: svc.CheckedUntil,
		}
	}
	s.requests = make(map[string]*request, len(saved.Requests))
	for _, r := range saved.Requests {
		s.requests[r.ID] = r
	}
	s.orders = make(map[int64]orderState, len(saved.Orders))
	for _, placed := range saved.Orders {
		s.orders[placed.ID] = placed
	}
	s.outbox = outbox.New()
	s.outbox.Last = saved.LastEvent
	for _, e := range saved.Events {
		s.outbox.Put(e)
	}
	s.faults = nil
	for _, armed := range saved.Faults {
		s.faults = append(s.faults, armedFault{target: armed.Target, fault: armed.Fault})
	}
}

// restoreTokens restores the state of the identity provider. An assertion that was used stays used.
func (s *Simulator) restoreTokens(saved *state) {
	s.tokens, s.jtis = expiring[*client]{}, expiring[struct{}]{}
	now := s.options.Now()
	for _, held := range saved.Tokens {
		if holder := s.clients[held.Holder]; holder != nil {
			s.tokens.put(held.Token, holder, now, held.Expires)
		}
	}
	for _, used := range saved.Assertions {
		s.jtis.put(used.Token, struct{}{}, now, used.Expires)
	}
}

func (s *Simulator) restoreJournal(saved *state) {
	s.journal = newJournal(s.options.JournalLimit)
	for _, call := range saved.Calls {
		s.journal.calls.add(call)
	}
	for _, violation := range saved.Violations {
		s.journal.violations.add(violation)
	}
	for _, delivery := range saved.Deliveries {
		s.journal.deliveries.add(delivery)
	}
	for _, counted := range saved.Submissions {
		s.journal.counts[submissionKey{counted.Operation, counted.Subject}] = counted.Count
	}
}
