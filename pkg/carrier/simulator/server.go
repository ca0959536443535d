package simulator

import (
	"net/http"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// New returns a simulator of the seed. It panics if there is no clock, or if the seed or another
// option is not valid. These are programming errors: use LoadSeed, CheckCallback and CheckAPIWord
// to check input.
func New(options Options) *Simulator {
	if err := options.check(); err != nil {
		panic("simulator: " + err.Error())
	}
	if options.Speed <= 0 {
		options.Speed = 1
	}
	s := &Simulator{
		options: options, routes: allRoutes(&options.Seed),
		families: make(map[Operation]family), released: make(chan struct{}),
		word: rewrite.Word(options.APIWord),
	}
	for _, f := range families() {
		s.families[f.operation] = f
	}
	if options.Hostile {
		s.hostile = newHostility(options.RandomSeed)
		s.dateSkew = s.hostile.skew
	}
	s.populate(options.Seed)
	return s
}

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
	s.zone, s.catalog = zone(seed.TimeZone), newCatalog(seed)
	s.state = newState(&seed, s.options.JournalLimit)
	for _, service := range seed.Services {
		s.putService(service, now)
	}
}

// zone returns the time zone with a name that Validate has checked.
func zone(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return location
}

// Handler serves both servers at one origin, because their paths do not overlap.
func (s *Simulator) Handler() http.Handler {
	identity := s.Identity()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, identityPrefix) {
			identity.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(w, r)
	})
}

// Close releases all calls that a fault keeps hanging. Call it before closing the server.
func (s *Simulator) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.released:
	default:
		close(s.released)
	}
}
