// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// failure is how a leader ends.
type failure struct {
	strike func(l *lane, leader *manager) error // during a call
	after  func(l *lane, leader *manager) error // when another leads; nil: nothing is left to do
}

// atOnce is how a machine fails.
func atOnce() failure { return failure{strike: (*lane).kill} }

// askedToGo is what a rollout of a Deployment does: nothing may be left behind.
func askedToGo() failure {
	return failure{strike: func(_ *lane, leader *manager) error {
		return leader.command.Process.Signal(syscall.SIGTERM)
	}}
}

// unknowing is a leader that is stopped until another leads. It notices that, and ends at once.
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

// failOver makes the leader fail at each of the cuts, and the other of two managers take over. The
// manager that makes the call fails. One that was stopped resumes as if it were the leader, and may
// release the other's lease, so that two of them lead for some seconds.
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

// besides makes two managers act at once, because both lead, and kills one or the other after it
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
