// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// failure is how a leader ends.
type failure struct {
	inject func(l *lane, leader *manager) error // during a call
	after  func(l *lane, leader *manager) error // when another leads; nil: nothing is left to do
}

// byKill is how a machine fails.
func byKill() failure { return failure{inject: (*lane).kill} }

// byTerm is what a rollout of a Deployment does: nothing may be left behind.
func byTerm() failure {
	return failure{inject: func(_ *lane, leader *manager) error {
		return leader.command.Process.Signal(syscall.SIGTERM)
	}}
}

// byStop stops the leader until another leads. When the stopped one resumes, it notices that and
// ends immediately.
func byStop() failure {
	return failure{
		inject: func(_ *lane, leader *manager) error { return leader.stop() },
		after: func(l *lane, leader *manager) error {
			if err := leader.resume(); err != nil {
				return err
			}
			<-leader.ended
			l.proxy.noteEnded(leader)
			return nil
		},
	}
}

// failOver makes the leader fail at each of the fault points, so that the other of two managers
// takes over. The manager that makes the call fails. A manager that was stopped still acts as the
// leader when it resumes, and may release the other's lease, so that two of them lead for some
// seconds.
func (l *lane) failOver(ctx SpecContext, points []faultPoint, way failure) {
	GinkgoHelper()
	for _, at := range points {
		l.awaitLeader(ctx, nil)
		e := l.prepare(at.kind)
		var leader *manager
		point := l.armAt(e, at, func(call apiCall) error {
			leader = l.proxy.maker(call, e.recordName())
			return way.inject(l, leader)
		})
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitInjected(ctx, point, at)
		l.awaitLeader(ctx, leader)
		if way.after != nil {
			Expect(way.after(l, leader)).To(Succeed())
		}
		Eventually(ctx, leader.ended).WithTimeout(timeout).Should(BeClosed())
		l.faultCount++
	}
}

// awaitLeader waits until a manager leads that is not the former leader.
func (l *lane) awaitLeader(ctx SpecContext, former *manager) {
	GinkgoHelper()
	l.eventually(ctx, func(g Gomega) { g.Expect(l.proxy.leader()).NotTo(Or(BeNil(), BeIdenticalTo(former))) })
}

// killOneOfTwo lets two managers act at the same time, both as leaders, and kills one or the other
// after it has written an intent.
func (l *lane) killOneOfTwo(ctx SpecContext, each []*kind, points []faultPoint) {
	GinkgoHelper()
	l.replaceEnded()
	l.declareAll(ctx, each)
	for _, at := range points {
		e := l.prepare(at.kind)
		point := l.armAt(e, at, func(call apiCall) error { return l.kill(call.by) })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		l.awaitInjected(ctx, point, at)
		l.faultCount++
		l.replaceEnded()
	}
	Expect(l.proxy.counts().conflicts).To(BeNumerically(">", 0), "both were active")
}
