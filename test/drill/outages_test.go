// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// outage makes something unavailable at each of the fault points, while changes of all kinds are in
// progress. The call at which it happens gets no response.
func (l *lane) outage(ctx SpecContext, each []*kind, points []faultPoint, fail func(context.Context) error) {
	GinkgoHelper()
	l.replaceEnded()
	for _, at := range points {
		e := l.prepare(at.kind)
		point := l.armAt(e, at, func(apiCall) error { return errNoResponse })
		l.declareAll(ctx, each)
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitInjected(ctx, point, at)
		Expect(fail(ctx)).To(Succeed())
		l.faultCount++
	}
}

// cutOff makes the manager's calls and watches fail, while more is declared and some requests end.
// The fault is over when the manager has noticed it, and watches again.
func (l *lane) cutOff(ctx SpecContext, each []*kind, times int) {
	GinkgoHelper()
	l.replaceEnded()
	for range times {
		l.declareAll(ctx, each)
		e := l.declare(ctx, each[0])
		l.eventually(ctx, func(g Gomega) { g.Expect(l.proxy.sent(e)).To(Equal(1)) })
		leader, was := l.proxy.leader(), l.proxy.counts()
		leader.link.Cut()
		l.declareAll(ctx, each)
		l.eventually(ctx, func(g Gomega) { g.Expect(l.proxy.counts().unanswered).To(BeNumerically(">", was.unanswered)) })
		was = l.proxy.counts()
		leader.link.Restore()
		l.eventually(ctx, func(g Gomega) { g.Expect(l.proxy.counts().watches).To(BeNumerically(">", was.watches)) })
		l.faultCount++
	}
}

// carrierForgets makes the carrier forget every request just before one is polled. The 404 that
// follows must never be taken to mean that nothing was accepted.
func (l *lane) carrierForgets(ctx SpecContext, points []faultPoint) {
	GinkgoHelper()
	l.replaceEnded()
	for _, at := range points {
		e := l.prepare(at.kind)
		point := l.armAt(e, at, func(apiCall) error { return l.carrier.Forget() })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitInjected(ctx, point, at)
		l.faultCount++
	}
}
