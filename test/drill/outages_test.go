// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// outage makes something unavailable at each of the cuts, while errands of all sorts are in
// progress. The call at which it happens gets no response.
func (l *lane) outage(ctx SpecContext, each []*sort, cuts []cut, goesAway func(context.Context) error) {
	GinkgoHelper()
	l.attend()
	for _, cut := range cuts {
		e := l.prepare(cut.sort)
		point := l.point(e, cut, func(call) error { return errCut })
		l.declareAll(ctx, each)
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitStruck(ctx, point, cut)
		Expect(goesAway(ctx)).To(Succeed())
		l.struck++
	}
}

// cutOff makes the manager's calls and watches fail, while more is declared and some requests end.
// It is over when the manager has noticed, and watches again.
func (l *lane) cutOff(ctx SpecContext, each []*sort, times int) {
	GinkgoHelper()
	l.attend()
	for range times {
		l.declareAll(ctx, each)
		e := l.declare(ctx, each[0])
		l.soon(ctx, func(g Gomega) { g.Expect(l.gate.sent(e)).To(Equal(1)) })
		leader, was := l.gate.leads(), l.gate.counted()
		leader.link.Cut()
		l.declareAll(ctx, each)
		l.soon(ctx, func(g Gomega) { g.Expect(l.gate.counted().unanswered).To(BeNumerically(">", was.unanswered)) })
		was = l.gate.counted()
		leader.link.Restore()
		l.soon(ctx, func(g Gomega) { g.Expect(l.gate.counted().watches).To(BeNumerically(">", was.watches)) })
		l.struck++
	}
}

// forget makes the carrier forget every request just before one is polled: a 404 never means that
// nothing was accepted.
func (l *lane) forget(ctx SpecContext, cuts []cut) {
	GinkgoHelper()
	l.attend()
	for _, cut := range cuts {
		e := l.prepare(cut.sort)
		point := l.point(e, cut, func(call) error { return l.carrier.Forget() })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitStruck(ctx, point, cut)
		l.struck++
	}
}
