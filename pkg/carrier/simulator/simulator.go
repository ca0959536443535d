package simulator

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options says how a Simulator is set up. Only Now is required.
type Options struct {
	// Seed is the world in which it starts.
	Seed Seed
	// Now is the clock of both servers. Required.
	Now func() time.Time
	// CarrierURL and IdentityURL are the origins by which the two servers are reached, without a
	// slash at the end. When empty each is taken from the request at hand.
	CarrierURL, IdentityURL string
	// Callback is where the events of clients without a callback of their own go, and CallbackSecret
	// what signs them; those of the seed when empty.
	Callback, CallbackSecret string
	// Speed divides every delay; 1 when zero.
	Speed float64
	// Hostile lets the carrier do by chance everything that is bad and allowed, and some that is not:
	// see the package documentation. RandomSeed makes chance repeatable.
	Hostile    bool
	RandomSeed uint64
	// APIWord is the carrier's own word in identifiers; the specification's wholesale when empty.
	APIWord string
	// JournalLimit is how many calls, and how many violations, are kept; 100 000 when zero. Counts
	// are exact whatever the limit.
	JournalLimit int
	// Observe is told of every call just before it is answered. It may call the Simulator.
	Observe func(Call)
}

// Simulator is the carrier. It is an [http.Handler] for the carrier API; Identity is its identity
// provider. All methods may be called at any time from any goroutine.
type Simulator struct {
	options  Options
	routes   []route
	families map[Operation]family
	zone     *time.Location
	word     apiWord
	dateSkew time.Duration
	released chan struct{} // closed by Close: calls that hang are let go

	mu       sync.Mutex // guards everything below
	skew     time.Duration
	hostile  *hostility // nil for a friendly carrier
	clients  map[string]*client
	tokens   expiring[*client]
	jtis     expiring[struct{}]
	catalog  catalog
	lines    map[int64]*line
	circuits map[string]int64 // the service on an AVC
	requests map[string]*request
	orders   map[int64]PlacedOrder
	lastID   int64
	faults   []armedFault
	outbox   outbox
	changes  uint64 // counts what may have changed the state, so that it is saved only then
	journal  journal
}

// check finds what the options do not allow a simulator to be made of.
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

// New returns a simulator of the seed. It panics when the seed or another option is not valid or
// there is no clock: all are mistakes of the program and not of its input, which LoadSeed,
// CheckCallback and CheckAPIWord judge.
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
	s.plant(options.Seed)
	return s
}

// Handler serves both servers at one origin, as their paths do not overlap.
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

// Close lets every call go that a fault keeps hanging. Call it before closing the server.
func (s *Simulator) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.released:
	default:
		close(s.released)
	}
}

// now is the carrier's time. The identity provider has its own clock, which Advance does not
// move, because the client's assertions are dated by the client's clock.
func (s *Simulator) now() time.Time {
	return s.options.Now().Add(s.skew)
}

// delay is how long a request of the operation takes.
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
