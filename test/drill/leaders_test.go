// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// failure is how a leader ends.
type failure struct {
	strike func(l *lane, leader *manager) error // in the middle of a call
	after  func(l *lane, leader *manager) error // when another leads; nil: nothing is left to do
}

// atOnce is how a machine fails.
func atOnce() failure { return failure{strike: (*lane).kill} }

// askedToGo is what a Deployment does that is rolled: nothing may be left behind.
func askedToGo() failure {
	return failure{strike: func(_ *lane, leader *manager) error {
		return leader.command.Process.Signal(syscall.SIGTERM)
	}}
}

// unknowing is a leader that is stopped until another leads. It finds out, and ends at once.
func unknowing() failure {
	return failure{
		strike: func(_ *lane, leader *manager) error { return leader.halt() },
		after: func(l *lane, leader *manager) error {
			if err := leader.resume(); err != nil {
				return err
			}
			<-leader.gone
			l.gate.leaveBehind(leader)
			return nil
		},
	}
}

// failOver has the leader fail at each of the cuts, and the other of two managers take over.
// Who fails is who makes the call: one that was stopped goes on as if it led, and may give
// the lease back that is another's by now, so that for some seconds two of them lead.
func (l *lane) failOver(ctx SpecContext, cuts []cut, way failure) {
	GinkgoHelper()
	for _, cut := range cuts {
		l.awaitLeader(ctx, nil)
		e := l.prepare(cut.sort)
		var leader *manager
		point := l.point(e, cut, func(passing call) error {
			leader = l.gate.maker(passing, e.recordedAs())
			return way.strike(l, leader)
		})
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitStruck(ctx, point, cut)
		l.awaitLeader(ctx, leader)
		if way.after != nil {
			Expect(way.after(l, leader)).To(Succeed())
		}
		Eventually(ctx, leader.gone).WithTimeout(patience).Should(BeClosed())
		l.struck++
	}
}

// awaitLeader waits until a manager leads that is not the former leader.
func (l *lane) awaitLeader(ctx SpecContext, former *manager) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) { g.Expect(l.gate.leads()).NotTo(Or(BeNil(), BeIdenticalTo(former))) })
}

// besides has two managers act at once, because both lead, and one or the other be killed when it
// has written an intent.
func (l *lane) besides(ctx SpecContext, each []*sort, cuts []cut) {
	GinkgoHelper()
	l.attend()
	l.declareAll(ctx, each)
	for _, cut := range cuts {
		e := l.prepare(cut.sort)
		point := l.point(e, cut, func(passing call) error { return l.kill(passing.by) })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitStruck(ctx, point, cut)
		l.struck++
		l.attend()
	}
	Expect(l.gate.counted().conflicts).To(BeNumerically(">", 0), "both were at work")
}
