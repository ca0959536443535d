// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// outageTime is how long the API server is unavailable: longer than a leader tries to renew its
// lease.
const outageTime = 20 * time.Second

// acceptedPoints returns the fault points after the carrier has accepted an order, a plan change
// and a test.
func acceptedPoints() []faultPoint {
	return selectPoints(func(c faultPoint) bool {
		isPOST := c.effect.name == effectPOST && c.side == after
		return isPOST && slices.Contains([]string{"order", "plan", "test"}, c.kind.name)
	})
}

// loseAPIServer makes the API server unavailable after the carrier has accepted a request at each
// of the fault points and before any response has arrived. The leader loses its lease and runs no
// further pass, but it holds the responses, and ends once they are recorded. Its successor may have
// seen the intents before, and leaves them alone for two minutes. The test checks at the end that
// the successor tracks the requests.
func (l *lane) loseAPIServer(ctx SpecContext, points []faultPoint, times int) {
	GinkgoHelper()
	var leader *manager
	for range times {
		l.awaitLeader(ctx, leader)
		leader = l.proxy.leader()
		all, respond := l.submit(ctx, points)
		l.eachLink((*world.Link).Cut)
		respond()
		Consistently(ctx, leader.isRunning).WithTimeout(outageTime).Should(BeTrue(), "it has responses that are not recorded")
		l.eachLink((*world.Link).Restore)
		Eventually(ctx, leader.ended).WithTimeout(timeout).Should(BeClosed(), "it has lost its lease")
		for _, e := range all {
			l.awaitRecorded(ctx, e)
			l.faultCount++
		}
	}
}

// awaitRecorded waits until the response to a change's request is recorded.
func (l *lane) awaitRecorded(ctx SpecContext, e *change) {
	GinkgoHelper()
	l.eventually(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).To(BeElementOf(polled, ready), found.message)
	})
}

// submit has a request accepted at each of the fault points. All responses are delayed until
// respond is called.
//
// A leader sends one chargeable request at a time until the first gets a response, then two, then
// four. So two requests get their responses before respond is called.
func (l *lane) submit(ctx SpecContext, points []faultPoint) (all []*change, respond func()) {
	GinkgoHelper()
	for range 2 {
		l.awaitReady(ctx, l.declare(ctx, points[0].kind))
	}
	accepted, release := make(chan struct{}, len(points)), make(chan struct{})
	for _, at := range points {
		e := l.prepare(at.kind)
		l.armAt(e, at, func(apiCall) error {
			accepted <- struct{}{}
			<-release
			return nil
		})
		Expect(l.Create(ctx, e.object)).To(Succeed())
		all = append(all, e)
	}
	l.eventually(ctx, func(g Gomega) { g.Expect(accepted).To(HaveLen(len(points))) })
	return all, func() { close(release) }
}

// eachLink does something to the API server connection of every manager.
func (l *lane) eachLink(do func(*world.Link)) {
	for _, m := range l.managers {
		do(m.link)
	}
}
