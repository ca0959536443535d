package simulator

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"
)

// client is a reseller with its keys parsed.
type client struct {
	Client

	keys parsedKeys
}

// parsedKeys are public keys by kid.
type parsedKeys map[string]*rsa.PublicKey

// populate fills an empty store from a valid seed.
func (s *Simulator) populate(seed Seed) {
	now := s.now()
	s.clients = make(map[string]*client, len(seed.Clients))
	for _, c := range seed.Clients {
		keys, err := parseKeys(c.Keys)
		if err != nil {
			panic("simulator: " + err.Error()) // Validate has already parsed them
		}
		s.clients[c.Name] = &client{Client: c, keys: keys}
	}
	s.zone = zone(seed.TimeZone)
	s.catalog = newCatalog(seed)
	s.outbox = newOutbox()
	s.services = make(map[int64]*serviceState, len(seed.Services))
	s.serviceByAVC = make(map[string]int64, len(seed.Services))
	for _, service := range seed.Services {
		s.putService(service, now)
	}
	s.requests = make(map[string]*request)
	s.orders = make(map[int64]PlacedOrder, len(seed.Orders))
	for _, placed := range seed.Orders {
		s.orders[placed.ID] = placed
	}
	s.lastID = seed.FirstRequestID - 1
	if seed.FirstRequestID == 0 {
		s.lastID = defaultFirstID - 1
	}
	s.journal = newJournal(s.options.JournalLimit)
}

// zone returns the time zone with a name that Validate has checked.
func zone(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return location
}

// nextID returns a number above all earlier ones, with gaps, so that clients cannot rely on
// consecutive ids.
func (s *Simulator) nextID() int64 {
	const widestGap = 97
	if s.hostile != nil {
		return s.hostileID()
	}
	id := s.lastID + 1
	s.lastID = id + id%widestGap
	return id
}

// hostileID returns a number that no request or order has.
func (s *Simulator) hostileID() int64 {
	for {
		id := s.hostile.id()
		_, requested := s.requests[strconv.FormatInt(id, 10)]
		_, ordered := s.orders[id]
		if !requested && !ordered {
			return id
		}
	}
}

// opaqueID returns a number as the text of an opaque id (spec §4: plan change options).
func opaqueID(id int64) string {
	const length = 18
	sum := sha256.Sum256([]byte(strconv.FormatInt(id, 10)))
	return base64.RawURLEncoding.EncodeToString(sum[:length])
}

// expiring is a map whose values expire. Expired values are removed some time later.
type expiring[V any] struct {
	entries map[string]expiringEntry[V]
	sweepAt int
}

type expiringEntry[V any] struct {
	value   V
	expires time.Time
}

// get returns the value of a key if it has not expired.
func (e *expiring[V]) get(key string, now time.Time) (V, bool) {
	entry, found := e.entries[key]
	if !found || !now.Before(entry.expires) {
		var none V
		return none, false
	}
	return entry.value, true
}

// put stores a value. It removes expired values whenever the map has doubled, so the average cost
// of put is constant.
func (e *expiring[V]) put(key string, value V, now, expires time.Time) {
	const smallest = 1024
	if len(e.entries) >= e.sweepAt {
		for k, entry := range e.entries {
			if !now.Before(entry.expires) {
				delete(e.entries, k)
			}
		}
		e.sweepAt = max(smallest, 2*len(e.entries))
	}
	if e.entries == nil {
		e.entries = make(map[string]expiringEntry[V])
	}
	e.entries[key] = expiringEntry[V]{value: value, expires: expires}
}
