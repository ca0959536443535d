package simulator

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
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
	// Callback is the destination of events for clients without their own callback, and CallbackSecret
	// is their signing key; if empty, those of the seed apply.
	Callback, CallbackSecret string
	// Speed divides every delay; 1 when zero.
	Speed float64
	// Duration returns how long a request takes. serviceID is 0 for a request about no service. If
	// nil, the delays of the seed apply.
	Duration func(operation Operation, serviceID int64) time.Duration
	// Hostile makes the carrier cause random faults. The specification allows most of them, but not
	// all: see hack/run/simulator/choices.md. RandomSeed makes them repeatable.
	Hostile    bool
	RandomSeed uint64
	// APIWord is the carrier's own word in identifiers; the specification's word, wholesale, when
	// empty.
	APIWord string
	// JournalLimit is the maximum number of calls, of violations and of deliveries that are kept;
	// 100 000 when zero. It does not limit the counts.
	JournalLimit int
	// Observe is called for every call just before the response is sent. It may call the Simulator.
	Observe func(Call)
}

// CheckAPIWord returns an error unless the word can be used in identifiers.
func CheckAPIWord(word string) error { return rewrite.CheckWord(word) }

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

// Simulator simulates the carrier. It is an [http.Handler] for the carrier API; Identity returns
// its identity provider. All methods are safe for concurrent use.
type Simulator struct {
	options  Options
	routes   []route
	families map[Operation]family
	zone     *time.Location
	word     rewrite.Word
	dateSkew time.Duration
	released chan struct{} // closed by Close: releases hanging calls

	mu      sync.Mutex // guards everything below
	hostile *hostility // nil for a friendly carrier
	clients map[string]*client
	catalog catalog
	state   state
	changes uint64 // counts possible changes of the state, so that it is saved only after one
}

// now returns the carrier's time. The identity provider has its own clock, which Advance does not
// move, because clients date their assertions by their own clock.
func (s *Simulator) now() time.Time {
	return s.options.Now().Add(s.state.Skew)
}

// dayStarts returns when a date begins in the carrier's time zone. The date must be valid.
func (s *Simulator) dayStarts(day string) time.Time {
	starts, err := time.ParseInLocation(time.DateOnly, day, s.zone)
	if err != nil {
		return time.Time{}
	}
	return starts
}

// nextID returns a number above all earlier ones, or a random one if the carrier is hostile. Either
// way there are gaps, so that clients cannot rely on consecutive ids.
func (s *Simulator) nextID() int64 {
	const maxGap = 97
	if s.hostile != nil {
		return s.hostileID()
	}
	id := s.state.LastID + 1
	s.state.LastID = id + id%maxGap
	return id
}

// hostileID returns a number that no request or order has.
func (s *Simulator) hostileID() int64 {
	for {
		id := s.hostile.id()
		_, requested := s.state.Requests[strconv.FormatInt(id, 10)]
		_, ordered := s.state.Orders[id]
		if !requested && !ordered {
			return id
		}
	}
}

// waiter returns a function that waits until nobody is waiting for a response, because the client
// has disconnected or the simulator is closed.
func (s *Simulator) waiter(caller context.Context) func() {
	return func() {
		select {
		case <-caller.Done():
		case <-s.released:
		}
	}
}
