// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"errors"
	"slices"
	"sync"
)

// side is when a failpoint acts: before the call is forwarded, or after it has taken effect and
// before the caller gets the response.
type side string

const (
	before side = "before"
	after  side = "after"
)

// errNoResponse is the error for a response that does not arrive.
var errNoResponse = errors.New("the response is lost")

// failpoint injects a fault once, at the first matching call.
type failpoint struct {
	side    side
	matches func(apiCall) bool
	inject  func(apiCall) error // with an error the caller gets no response
	done    chan struct{}       // closed when it has acted, and the call is over

	retriesConflict bool // does not act at a call with a conflict, because its writer calls again
}

// proxy is a proxy on both connections of a lane's managers. It forwards every call unless a
// failpoint injects a fault, and records what the checks need to know about the calls.
type proxy struct {
	mu     sync.Mutex
	armed  []*failpoint
	record record
}

func newProxy() *proxy {
	return &proxy{record: record{open: map[string][]*manager{}, left: map[string]bool{}, senders: map[string]*manager{}}}
}

// arm sets a failpoint: a new one, or one that was removed and has not acted.
func (g *proxy) arm(point *failpoint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = append(g.armed, point)
}

// takeFailpoint notes an outgoing call, and removes and returns the matching failpoint, or nil.
func (g *proxy) takeFailpoint(call apiCall) *failpoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.record.noteCall(call)
	fitting := slices.IndexFunc(g.armed, func(point *failpoint) bool { return point.matches(call) })
	if fitting < 0 {
		return nil
	}
	point := g.armed[fitting]
	g.armed = slices.Delete(g.armed, fitting, fitting+1)
	return point
}

// update changes or reads the record of the calls.
func (g *proxy) update(by func(*record)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	by(&g.record)
}

// counts returns the counts so far.
func (g *proxy) counts() (so counts) {
	g.update(func(s *record) { so = s.counts })
	return so
}

// noteEnded notes that a process has ended, and that its knowledge of open intents is lost.
func (g *proxy) noteEnded(ended *manager) { g.update(func(s *record) { s.noteEnded(ended) }) }

// wasLeft reports whether a process that has ended may have left an intent of an object behind.
func (g *proxy) wasLeft(name string) (left bool) {
	g.update(func(s *record) { left = s.left[name] })
	return left
}

// maker returns the manager that makes a call about an object. For calls to the carrier that is the
// manager whose intent is recorded.
func (g *proxy) maker(call apiCall, object string) *manager {
	maker := call.by
	if call.toCarrier() {
		g.update(func(s *record) { maker = s.senders[object] })
	}
	return maker
}

// leader returns the manager that wrote the lease last.
func (g *proxy) leader() (leader *manager) {
	g.update(func(s *record) { leader = s.leader })
	return leader
}
