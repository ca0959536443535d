package simulator

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options configures a Simulator. Only Now is required.
type Options struct {
	// Seed is the initial state.
	Seed Seed
	// Now is the clock of both servers. Required.
	Now func() time.Time
	// CarrierURL and IdentityURL are the origins of the two servers, without a trailing slash. When
	// empty, each is taken from the current call.
	CarrierURL, IdentityURL string
	// Callback is the destination of events for clients without their own callback, and
	// CallbackSecret is their signing key; those of the seed when empty.
	Callback, CallbackSecret string
	// Speed divides every delay; 1 when zero.
	Speed float64
	// Hostile makes the carrier cause random faults, most of them allowed by the specification,
	// some not: see the package documentation. RandomSeed makes them repeatable.
	Hostile    bool
	RandomSeed uint64
	// APIWord is the carrier's own word in identifiers; the specification's word, wholesale, when
	// empty.
	APIWord string
	// JournalLimit is how many calls, and how many violations, are kept; 100 000 when zero. Counts
	// are exact whatever the limit.
	JournalLimit int
	// Observe is called for every call just before the response is sent. It may call the Simulator.
	Observe func(Call)
}

// Simulator simulates the carrier. It is an [http.Handler] for the carrier API; Identity returns
// its identity provider. All methods are safe for concurrent use.
type Simulator struct {
	options  Options
	routes   []route
	families map[Operation]family
	zone     *time.Location
	word     apiWord
	dateSkew time.Duration
	released chan struct{} // closed by Close: releases hanging calls

	mu           sync.Mutex // guards everything below
	skew         time.Duration
	hostile      *hostility // nil for a friendly carrier
	clients      map[string]*client
	tokens       expiring[*client]
	jtis         expiring[struct{}]
	catalog      catalog
	services     map[int64]*serviceState
	serviceByAVC map[string]int64 // the service of each AVC
	requests     map[string]*request
	orders       map[int64]PlacedOrder
	lastID       int64
	faults       []armedFault
	outbox       outbox
	changes      uint64 // counts possible changes of the state, so that it is saved only after one
	journal      journal
}

// check reports options with which no simulator can be created.
func (o *Options) check() error {
	if o.Now == nil {
		return errors.New("Options.Now is required")
	}
	if err := CheckCallback(o.Callback); err != nil {
		return err
	}
	if o.APIWord != "" {
		if err := CheckAPIWord(o.APIWord); err != nil {
			return err
		}
	}
	return o.Seed.Validate()
}

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
		options: options, routes: routes(), families: make(map[Operation]family), released: make(chan struct{}),
		word: apiWord(options.APIWord),
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

// now returns the carrier's time. The identity provider has its own clock, which Advance does not
// move, because clients date their assertions by their own clock.
func (s *Simulator) now() time.Time {
	return s.options.Now().Add(s.skew)
}

// delay returns how long a request of the operation takes.
func (s *Simulator) delay(operation Operation) time.Duration {
	delay, known := s.options.Seed.Delays[string(operation)]
	if !known {
		delay, known = s.options.Seed.Delays[defaultDelayKey]
	}
	if !known {
		delay = Duration(defaultDelay)
	}
	return time.Duration(float64(s.hostile.delay(time.Duration(delay))) / s.options.Speed)
}
