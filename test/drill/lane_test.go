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

	trouble  string // what its managers live through
	struck   int    // how often it has struck
	carrier  *carrierProcess
	gate     *gate
	home     string       // the operator's namespace
	access   *rest.Config // of its managers to the API server
	flags    []string     // that its managers have beside those of all
	folder   string
	log      *journal
	managers []*manager // those that have been started, and may have ended
	errands  []*errand
	orders   int64 // how many of the carrier's orders have been given to an errand
	surveys  int64 // the same of its locations
}

// newLane makes a lane, whose carrier does everything at once.
func newLane(ctx SpecContext, trouble string) *lane {
	GinkgoHelper()
	l := &lane{
		trouble: trouble, gate: newGate(), home: world.OperatorName, access: employed(),
		folder: GinkgoT().TempDir(), log: &journal{},
	}
	l.carrier = startCarrier(l.folder, trouble)
	l.World = world.Abroad(ctx, plane.ControlPlane, l.gate.serve(nil, l.carrier.origin(), l.carrier), l.carrier)
	l.Login(ctx, func(account *v1alpha1.CarrierAccount) {
		account.Spec.Polling = v1alpha1.Polling{Min: "1s", Max: "2s"}
	})
	return l
}

// newLaneWithLease makes a lane whose managers elect a leader: they need a namespace of
// their own for that, and so more than the roles of the usual one.
func newLaneWithLease(ctx SpecContext, trouble string) *lane {
	GinkgoHelper()
	l := newLane(ctx, trouble)
	l.home, l.access, l.flags = "operator-of-"+l.Namespace, employed("system:masters"), []string{"--leader-elect"}
	Expect(plane.AddNamespace(ctx, l.home)).To(Succeed())
	return l
}

// employed is the operator's user, who may belong to groups.
func employed(groups ...string) *rest.Config {
	GinkgoHelper()
	config, err := plane.AddUser(user, groups...)
	Expect(err).NotTo(HaveOccurred())
	return config
}

// placed is an order at the carrier.
func (l *lane) placed() int64 {
	l.orders++
	return firstOrder + l.orders - 1
}

// surveyed is a location for which the carrier can quote.
func (l *lane) surveyed() string {
	l.surveys++
	return location(l.surveys - 1)
}

// declare has something wanted that needs one request.
func (l *lane) declare(ctx SpecContext, s *sort) *errand {
	GinkgoHelper()
	e := l.prepare(s)
	Expect(l.Create(ctx, e.object)).To(Succeed())
	return e
}

// declareAll has one of each sort wanted.
func (l *lane) declareAll(ctx SpecContext, each []*sort) {
	GinkgoHelper()
	for _, s := range each {
		l.declare(ctx, s)
	}
}

// prepare writes the manifest of an errand.
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

// fit makes the failpoint, which is not armed yet.
func (l *lane) fit(e *errand, at cut, strike func(call) error) *failpoint {
	fits := func(passing call) bool { return at.at.is(&l.gate.seen, e, passing) }
	return &failpoint{side: at.side, fits: fits, strike: strike, struck: make(chan struct{})}
}

// attend has a number of managers look after the lane, as a Deployment would: one that has
// lost its lease ends.
func (l *lane) attend(replicas int) {
	GinkgoHelper()
	l.managers = slices.DeleteFunc(l.managers, func(m *manager) bool { return !m.lives() })
	for len(l.managers) < replicas {
		l.start()
	}
}

// kill ends a process in the middle of a call, which is not answered.
func (l *lane) kill(m *manager) error {
	if err := m.end(); err != nil {
		return err
	}
	l.gate.leaveBehind(m)
	return errCut
}

// awaitStruck waits until a failpoint has struck.
func awaitStruck(ctx SpecContext, point *failpoint, at cut) {
	GinkgoHelper()
	Eventually(ctx, point.struck).WithTimeout(patience).Should(BeClosed(), at.String())
}
