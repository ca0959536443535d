// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"fmt"
	"slices"

	"k8s.io/client-go/rest"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// lane is a tenant with a carrier and managers of its own. Lanes run beside each other.
type lane struct {
	*world.World

	trouble  string // the fault that its managers are exposed to
	struck   int    // how often it has occurred
	carrier  *carrierProcess
	gate     *gate
	home     string       // the operator's namespace, with the lease of its managers
	access   *rest.Config // its managers' access to the API server
	flags    []string     // its managers' additional flags
	allLead  bool         // whether its managers' lease excludes none of them
	replicas int          // the number of managers at a time
	folder   string
	log      *journal
	managers []*manager // those that were started, and may have ended
	errands  []*errand
	orders   int64 // how many of the carrier's orders were given to an errand
	surveys  int64 // the same for its locations
}

// newLane creates a lane whose carrier completes everything at once. Its managers elect a leader,
// as the shipped ones do, and have a namespace of their own for their lease and their records.
func newLane(ctx SpecContext, trouble string) *lane {
	GinkgoHelper()
	l := &lane{trouble: trouble, gate: newGate(), replicas: 1, folder: GinkgoT().TempDir(), log: &journal{}}
	l.carrier = startCarrier(l.folder, trouble)
	l.World = world.Abroad(ctx, plane.ControlPlane, l.gate.serve(nil, l.carrier.origin(), l.carrier), l.carrier)
	l.Login(ctx, func(account *v1alpha1.CarrierAccount) {
		account.Spec.Polling = v1alpha1.Polling{Min: "1s", Max: "2s"}
	})
	l.home = "operator-of-" + l.Namespace
	Expect(plane.AddNamespace(ctx, l.home)).To(Succeed())
	l.access = employed(ctx, l.home)
	return l
}

// placed returns an order at the carrier.
func (l *lane) placed() int64 {
	l.orders++
	return firstOrder + l.orders - 1
}

// surveyed returns a location for which the carrier can quote.
func (l *lane) surveyed() string {
	l.surveys++
	return location(l.surveys - 1)
}

// declare declares an errand, which needs one request.
func (l *lane) declare(ctx SpecContext, s *sort) *errand {
	GinkgoHelper()
	e := l.prepare(s)
	Expect(l.Create(ctx, e.object)).To(Succeed())
	return e
}

// declareAll declares one errand of each sort.
func (l *lane) declareAll(ctx SpecContext, each []*sort) {
	GinkgoHelper()
	for _, s := range each {
		l.declare(ctx, s)
	}
}

// prepare creates the manifest of an errand.
func (l *lane) prepare(s *sort) *errand {
	e := &errand{sort: s}
	e.object, e.mark = s.declare(l, fmt.Sprintf("%s-%03d", s.name, len(l.errands)))
	l.errands = append(l.errands, e)
	return e
}

// point arms a failpoint at a cut of an errand.
func (l *lane) point(e *errand, at cut, strike func(call) error) *failpoint {
	point := l.fit(e, at, strike)
	l.gate.arm(point)
	return point
}

// fit creates the failpoint without arming it.
func (l *lane) fit(e *errand, at cut, strike func(call) error) *failpoint {
	fits := func(passing call) bool { return at.at.is(&l.gate.seen, e, passing) }
	return &failpoint{side: at.side, fits: fits, strike: strike, struck: make(chan struct{})}
}

// attend replaces the lane's managers, as a Deployment would, if they were killed or have ended
// because they lost their lease.
func (l *lane) attend() {
	GinkgoHelper()
	l.managers = slices.DeleteFunc(l.managers, func(m *manager) bool { return !m.lives() })
	for len(l.managers) < l.replicas {
		l.start()
	}
}

// soon attends to the lane until something holds.
func (l *lane) soon(ctx SpecContext, holds func(Gomega)) {
	GinkgoHelper()
	soon(ctx, func(g Gomega) {
		l.attend()
		holds(g)
	})
}

// kill ends a process during a call, which is not answered.
func (l *lane) kill(m *manager) error {
	if err := m.end(); err != nil {
		return err
	}
	l.gate.leaveBehind(m)
	return errCut
}

// awaitStruck waits until a failpoint has struck.
func (l *lane) awaitStruck(ctx SpecContext, point *failpoint, at cut) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) { g.Expect(point.struck).To(BeClosed(), at.String()) })
}
