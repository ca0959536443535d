// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// How long a process is stopped: shorter and longer than an intent is valid.
const (
	shortStop = 2 * time.Second
	goodFor   = 10 * time.Second
	longStop  = 12 * time.Second
)

// stop stops a manager at each of the cuts and resumes it. The call in which it was stopped is
// forwarded, and its response waits.
func (l *lane) stop(ctx SpecContext, cuts []cut, length time.Duration) {
	GinkgoHelper()
	l.attend()
	for _, cut := range cuts {
		e := l.prepare(cut.sort)
		var m *manager
		point := l.fit(e, cut, func(call) error {
			m = l.gate.leads()
			return m.halt()
		})
		point.patient = true // a process that is stopped after an intent has one to give up
		l.gate.arm(point)
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitStruck(ctx, point, cut)
		l.expectStill(ctx, length)
		was := l.gate.counted()
		Expect(m.resume()).To(Succeed())
		l.awaitReady(ctx, e)
		l.struck++

		if cut.between() && length > goodFor { // after a shorter stop it depends on how busy the machine is
			Expect(l.gate.counted().notSent).To(BeNumerically(">", was.notSent), "an intent is good for 10 s: %s", cut)
		}
	}
}

// expectStill expects that a stopped process sends nothing.
func (l *lane) expectStill(ctx SpecContext, length time.Duration) {
	GinkgoHelper()
	const often = 100 * time.Millisecond
	posts := func() int { return l.gate.counted().posts }
	Consistently(ctx, posts).WithTimeout(length).WithPolling(often).Should(Equal(posts()))
}

// awaitReady waits until an errand is done.
func (l *lane) awaitReady(ctx SpecContext, e *errand) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).To(Equal(ready), found.says)
	})
}
