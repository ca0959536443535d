// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// How long a process is stopped (for less and for more time than an intent is valid), and how long
// an intent is valid.
const (
	shortStop      = 2 * time.Second
	intentValidity = 10 * time.Second
	longStop       = 12 * time.Second
)

// pause stops a manager at each of the fault points and resumes it. The call in which it was
// stopped is forwarded, and its response waits.
func (l *lane) pause(ctx SpecContext, points []faultPoint, length time.Duration) {
	GinkgoHelper()
	l.replaceEnded()
	for _, at := range points {
		e := l.prepare(at.kind)
		var m *manager
		point := l.failpointAt(e, at, func(apiCall) error {
			m = l.proxy.leader()
			return m.stop()
		})
		point.retriesConflict = true // a process stopped after an intent must have one to give up
		l.proxy.arm(point)
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitInjected(ctx, point, at)
		l.expectNoPosts(ctx, length)
		was := l.proxy.counts()
		Expect(m.resume()).To(Succeed())
		l.awaitReady(ctx, e)
		l.faultCount++

		if at.isBeforePOST() && length > intentValidity { // after a shorter stop it depends on how busy the machine is
			Expect(l.proxy.counts().notSent).To(BeNumerically(">", was.notSent), "an intent is valid for 10 s: %s", at)
		}
	}
}

// expectNoPosts expects that a stopped process sends nothing.
func (l *lane) expectNoPosts(ctx SpecContext, length time.Duration) {
	GinkgoHelper()
	const often = 100 * time.Millisecond
	posts := func() int { return l.proxy.counts().posts }
	Consistently(ctx, posts).WithTimeout(length).WithPolling(often).Should(Equal(posts()))
}

// awaitReady waits until a change is done.
func (l *lane) awaitReady(ctx SpecContext, e *change) {
	GinkgoHelper()
	l.eventually(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).To(Equal(ready), found.message)
	})
}
