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

	fault      string // the fault that its managers are exposed to
	faultCount int    // how often it has occurred
	carrier    *carrierProcess
	proxy      *proxy
	namespace  string               // the operator's namespace, with the lease of its managers
	access     *rest.Config         // its managers' access to the API server
	flags      []string             // its managers' additional flags
	allLead    bool                 // whether all of its managers lead, no matter which has the lease
	extensions []v1alpha1.Extension // those of its carrier, which its account uses
	replicas   int                  // the number of managers at a time
	folder     string
	log        *journal
	managers   []*manager // those that were started, and may have ended
	changes    []*change
	orders     int64 // how many of the carrier's orders were given to a change
	locations  int64 // the same for its locations
}

// newLane creates a lane whose carrier completes everything immediately, and may have extensions.
// Its managers elect a leader, as the shipped ones do, and have a namespace of their own for their
// lease and their records.
func newLane(ctx SpecContext, fault string, extensions ...v1alpha1.Extension) *lane {
	GinkgoHelper()
	l := &lane{
		fault: fault, proxy: newProxy(), extensions: extensions, replicas: 1, folder: GinkgoT().TempDir(), log: &journal{},
	}
	l.carrier = startCarrier(l)
	l.World = world.WithCarrierAt(ctx, plane.ControlPlane, l.proxy.serve(nil, l.carrier.origin(), l.carrier), l.carrier)
	l.Login(ctx, func(account *v1alpha1.CarrierAccount) {
		account.Spec.Polling = v1alpha1.Polling{Min: "1s", Max: "2s"}
		account.Spec.Extensions = l.extensions
	})
	l.namespace = "operator-of-" + l.Namespace
	Expect(plane.AddNamespace(ctx, l.namespace)).To(Succeed())
	l.access = accessIn(ctx, l.namespace)
	return l
}

// nextOrder returns an order at the carrier.
func (l *lane) nextOrder() int64 {
	l.orders++
	return firstOrder + l.orders - 1
}

// nextLocation returns a location for which the carrier can quote.
func (l *lane) nextLocation() string {
	l.locations++
	return location(l.locations - 1)
}

// declare declares a change, which needs one request.
func (l *lane) declare(ctx SpecContext, s *kind) *change {
	GinkgoHelper()
	e := l.prepare(s)
	Expect(l.Create(ctx, e.object)).To(Succeed())
	return e
}

// declareAll declares one change of each kind.
func (l *lane) declareAll(ctx SpecContext, each []*kind) {
	GinkgoHelper()
	for _, s := range each {
		l.declare(ctx, s)
	}
}

// prepare creates the manifest of a change.
func (l *lane) prepare(s *kind) *change {
	e := &change{kind: s}
	e.object, e.mark = s.declare(l, fmt.Sprintf("%s-%03d", s.name, len(l.changes)))
	l.changes = append(l.changes, e)
	return e
}

// armAt arms a failpoint at a fault point of a change.
func (l *lane) armAt(e *change, at faultPoint, inject func(apiCall) error) *failpoint {
	point := l.failpointAt(e, at, inject)
	l.proxy.arm(point)
	return point
}

// failpointAt creates the failpoint without arming it.
func (l *lane) failpointAt(e *change, at faultPoint, inject func(apiCall) error) *failpoint {
	matches := func(call apiCall) bool { return at.effect.is(&l.proxy.record, e, call) }
	return &failpoint{side: at.side, matches: matches, inject: inject, done: make(chan struct{})}
}

// replaceEnded replaces the lane's managers, as a Deployment would, if they were killed or have
// ended because they lost their lease.
func (l *lane) replaceEnded() {
	GinkgoHelper()
	l.managers = slices.DeleteFunc(l.managers, func(m *manager) bool {
		ended := !m.isRunning()
		if ended {
			l.proxy.noteEnded(m)
		}
		return ended
	})
	for len(l.managers) < l.replicas {
		l.start()
	}
}

// eventually waits until something holds, and replaces managers that have ended.
func (l *lane) eventually(ctx SpecContext, holds func(Gomega)) {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		l.replaceEnded()
		holds(g)
	})
}

// kill ends a process during a call, which gets no response.
func (l *lane) kill(m *manager) error {
	if err := m.end(); err != nil {
		return err
	}
	l.proxy.noteEnded(m)
	return errNoResponse
}

// awaitInjected waits until a failpoint has acted.
func (l *lane) awaitInjected(ctx SpecContext, point *failpoint, at faultPoint) {
	GinkgoHelper()
	l.eventually(ctx, func(g Gomega) { g.Expect(point.done).To(BeClosed(), at.String()) })
}
