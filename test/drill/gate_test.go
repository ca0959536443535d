// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"errors"
	"slices"
	"sync"
)

// side is where a failpoint strikes: before the call is forwarded, or after it has taken effect and
// before the caller gets the response.
type side string

const (
	before side = "before"
	after  side = "after"
)

// errCut is the error for a response that does not arrive.
var errCut = errors.New("the answer is lost on its way")

// failpoint strikes once, at the first matching call.
type failpoint struct {
	side   side
	fits   func(call) bool
	strike func(call) error // with an error the caller gets no response
	struck chan struct{}    // closed when it has struck, and the call is over

	patient bool // does not strike at a call that met a conflict: the single writer will make another call
}

// gate is a proxy on both connections of a lane's managers. It forwards every call unless a
// failpoint strikes, and keeps what the judge needs to know about the calls.
type gate struct {
	mu    sync.Mutex
	armed []*failpoint
	seen  seen
}

func newGate() *gate {
	return &gate{seen: seen{open: map[string][]*manager{}, left: map[string]bool{}, senders: map[string]*manager{}}}
}

// arm sets a failpoint: a new one, or one that was taken and has not struck.
func (g *gate) arm(point *failpoint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = append(g.armed, point)
}

// take notes an outgoing call, and takes the matching failpoint if there is one.
func (g *gate) take(passing call) *failpoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen.goes(passing)
	fitting := slices.IndexFunc(g.armed, func(point *failpoint) bool { return point.fits(passing) })
	if fitting < 0 {
		return nil
	}
	point := g.armed[fitting]
	g.armed = slices.Delete(g.armed, fitting, fitting+1)
	return point
}

// note changes or reads what has been seen.
func (g *gate) note(by func(*seen)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	by(&g.seen)
}

// counted returns the counts so far.
func (g *gate) counted() (so counts) {
	g.note(func(s *seen) { so = s.counts })
	return so
}

// leaveBehind notes that a process has ended, and that its knowledge of open intents is lost.
func (g *gate) leaveBehind(ended *manager) { g.note(func(s *seen) { s.leaveBehind(ended) }) }

// wasLeft reports whether a process that has ended may have left an intent of an object behind.
func (g *gate) wasLeft(name string) (left bool) {
	g.note(func(s *seen) { left = s.left[name] })
	return left
}

// maker returns the manager that makes a call about an object. For calls to the carrier that is the
// manager whose intent is recorded.
func (g *gate) maker(passing call, object string) *manager {
	maker := passing.by
	if passing.toCarrier() {
		g.note(func(s *seen) { maker = s.senders[object] })
	}
	return maker
}

// leads returns the manager that wrote the lease last.
func (g *gate) leads() (leader *manager) {
	g.note(func(s *seen) { leader = s.leader })
	return leader
}
