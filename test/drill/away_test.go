// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// awayFor is how long the API server is unavailable: longer than a leader tries to renew its lease.
const awayFor = 20 * time.Second

// submitted returns the cuts after the carrier has accepted an order, a plan change and a test.
func submitted() []cut {
	return where(func(c cut) bool {
		return slices.Contains([]string{"order", "plan", "test"}, c.sort.name) && c.at.name == effectPOST && c.side == after
	})
}

// away makes the API server unavailable after the carrier has accepted a request at each of the
// cuts and before any response has arrived. The leader loses its lease and runs no further pass,
// but it holds the responses, and ends once they are recorded. Its successor may have seen the
// intents before, and leaves them alone for two minutes: that it tracks the requests is checked at
// the end.
func (l *lane) away(ctx SpecContext, cuts []cut, times int) {
	GinkgoHelper()
	var leader *manager
	for range times {
		l.awaitLeader(ctx, leader)
		leader = l.gate.leads()
		errands, answer := l.submit(ctx, cuts)
		l.eachLink((*world.Link).Cut)
		answer()
		Consistently(ctx, leader.lives).WithTimeout(awayFor).Should(BeTrue(), "it holds answers that are not on record")
		l.eachLink((*world.Link).Restore)
		Eventually(ctx, leader.gone).WithTimeout(patience).Should(BeClosed(), "it has lost its lease")
		for _, e := range errands {
			l.awaitRecorded(ctx, e)
			l.struck++
		}
	}
}

// awaitRecorded waits until the response to an errand's request is recorded.
func (l *lane) awaitRecorded(ctx SpecContext, e *errand) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).To(BeElementOf(followed, ready), found.says)
	})
}

// submit has a request accepted at each of the cuts. All responses are delayed until answer is
// called.
//
// A leader sends one chargeable request at a time until the first is answered, then two, then four:
// so two are answered before.
func (l *lane) submit(ctx SpecContext, cuts []cut) (errands []*errand, answer func()) {
	GinkgoHelper()
	for range 2 {
		l.awaitReady(ctx, l.declare(ctx, cuts[0].sort))
	}
	taken, answered := make(chan struct{}, len(cuts)), make(chan struct{})
	for _, cut := range cuts {
		e := l.prepare(cut.sort)
		l.point(e, cut, func(call) error {
			taken <- struct{}{}
			<-answered
			return nil
		})
		Expect(l.Create(ctx, e.object)).To(Succeed())
		errands = append(errands, e)
	}
	l.soon(ctx, func(g Gomega) { g.Expect(taken).To(HaveLen(len(cuts))) })
	return errands, func() { close(answered) }
}

// eachLink does something to the API server connection of every manager.
func (l *lane) eachLink(do func(*world.Link)) {
	for _, m := range l.managers {
		do(m.link)
	}
}
