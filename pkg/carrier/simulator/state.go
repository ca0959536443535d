package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// stateVersion is the version of the state format.
const stateVersion = 2

// state is what can change after the seed is loaded, as it is saved. The offer and the
// qualifications are not part of it: they are the seed's, without what AddQualification added.
type state struct {
	Version   int           `json:"version"`
	Skew      time.Duration `json:"skew"`
	ReadLag   time.Duration `json:"readLag"` // by how much a read of a service lags behind
	LastID    int64         `json:"lastId"`
	LastEvent int64         `json:"lastEvent"` // the number of the newest event

	Services   map[int64]*serviceState `json:"services"`
	Requests   map[string]*request     `json:"requests"`
	Orders     map[int64]orderState    `json:"orders"`
	Events     map[int64]*event        `json:"events"` // those that are neither delivered nor given up
	Faults     []ArmedFault            `json:"faults"`
	Tokens     expiring[string]        `json:"tokens"` // the client of each token
	Assertions expiring[struct{}]      `json:"assertions"`
	RefuseOnce map[string]bool         `json:"refuseOnce"` // tokens that will be refused once
	Journal    journal                 `json:"journal"`

	// Clients and Random are set only while the state is saved and restored. Of the clients, only keys
	// and callbacks are restored. Random is the position in the random sequence of a hostile carrier.
	Clients []Client `json:"clients"`
	Random  []byte   `json:"random,omitempty"`
}

// newState returns the state of a seed, without its services.
func newState(seed *Seed, journalLimit int) state {
	created := state{
		Version: stateVersion, ReadLag: time.Duration(seed.ServiceRead.Lag), LastID: seed.FirstRequestID - 1,
		Services: make(map[int64]*serviceState, len(seed.Services)), Requests: make(map[string]*request),
		Orders: make(map[int64]orderState, len(seed.Orders)), Events: make(map[int64]*event),
		RefuseOnce: make(map[string]bool), Journal: newJournal(journalLimit),
	}
	if seed.FirstRequestID == 0 {
		created.LastID = defaultFirstID - 1
	}
	for _, placed := range seed.Orders {
		created.Orders[placed.ID] = orderState{PlacedOrder: placed}
	}
	return created
}

// Save writes what can change, except the qualifications: services, requests, orders, events,
// tokens, the journal and the clock. This includes access tokens and callback secrets.
func (s *Simulator) Save(w io.Writer) error {
	content, err := s.encodeState()
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

func (s *Simulator) encodeState() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved := s.state
	for _, c := range s.clients {
		saved.Clients = append(saved.Clients, c.Client)
	}
	if s.hostile != nil {
		saved.Random, _ = s.hostile.source.MarshalBinary() //nolint:errcheck // it never fails
	}
	return json.Marshal(saved) //nolint:wrapcheck // Save wraps it
}

// Restore replaces everything that Save writes with a saved state. Services and orders are then
// those of the state. Clients, plans and locations remain the seed's, with the clients' keys and
// callbacks from the state.
func (s *Simulator) Restore(r io.Reader) error {
	saved := newState(&Seed{}, s.options.JournalLimit)
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&saved); err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	keys, err := saved.check()
	if err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range saved.Clients {
		if holder := s.clients[c.Name]; holder != nil {
			holder.Keys, holder.keys = c.Keys, keys[i]
			holder.Callback, holder.CallbackSecret = c.Callback, c.CallbackSecret
		}
	}
	s.hostile.restore(saved.Random)
	saved.Clients, saved.Random = nil, nil
	s.state = saved
	return nil
}

// check validates everything that is required to restore a state, and parses the keys of its
// clients.
func (saved *state) check() ([]parsedKeys, error) {
	if saved.Version != stateVersion {
		return nil, fmt.Errorf("the version is %d and not %d", saved.Version, stateVersion)
	}
	for id, svc := range saved.Services {
		if svc == nil || !svc.isComplete() {
			return nil, fmt.Errorf("services.%d: a part is missing", id)
		}
	}
	for _, r := range saved.Requests {
		if r == nil {
			return nil, errors.New("a request is null")
		}
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
func (svc *serviceState) isComplete() bool {
	return svc.ID > 0 && svc.AVCID != nil && len(svc.Plans) > 0 && len(svc.SLAs) > 0 &&
		len(svc.Aggregations) > 0 && len(svc.Profiles) > 0 && len(svc.Modifications) > 0
}
