// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// shortLease has a successor wait less long than shipped for the lease of one that was killed. Where
// no manager is killed, or a standby takes over, the durations are those that are shipped.
func shortLease() []string {
	return []string{
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=1s",
	}
}

// killAt has the leader die at each of the cuts. What it leaves behind is its successor's, beside
// an errand of its own.
func (l *lane) killAt(ctx SpecContext, cuts []cut) {
	GinkgoHelper()
	for _, cut := range cuts {
		l.attend()
		e := l.prepare(cut.sort)
		var dies *manager
		point := l.point(e, cut, func(call) error {
			dies = l.gate.leads()
			return l.kill(dies)
		})
		Expect(l.Create(ctx, e.object)).To(Succeed())
		if cut.sort.provoke != nil {
			cut.sort.provoke(ctx, l, e)
		}
		l.awaitStruck(ctx, point, cut)
		Expect(dies.gone).To(BeClosed())
		l.struck++
	}
	if whole { // the last is to outlive a restart of the API server
		l.flags = nil
	}
	l.attend()
}

// remains is what a carrier that was killed knows when it is started again.
type remains string

const (
	kept remains = "all that it has taken"
	lost remains = "what it had saved: up to a second is missing"
)

// killCarrierAt has the carrier's process die at each of the cuts, in the middle of a call that
// is not answered, and start again from its state.
func (l *lane) killCarrierAt(ctx SpecContext, cuts []cut, books remains) {
	GinkgoHelper()
	l.attend()
	for _, cut := range cuts {
		e := l.prepare(cut.sort)
		Expect(l.carrier.awaitSaved(ctx)).To(Succeed())
		point := l.point(e, cut, func(call) error { return l.killCarrier(ctx, e, cut, books) })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		if cut.sort.provoke != nil {
			cut.sort.provoke(ctx, l, e)
		}
		l.awaitStruck(ctx, point, cut)
		l.carrier.start()
		l.struck++
		l.awaitRest(ctx, e)
		// An account whose POST got no answer waits with what costs until the carrier answers.
		l.awaitReady(ctx, l.declare(ctx, questions()[0]))
	}
}

// killCarrier kills the carrier in the middle of a call. One that was to be passed on finds
// nobody; the answer of one that was is lost.
func (l *lane) killCarrier(ctx context.Context, e *errand, at cut, books remains) error {
	if books == kept {
		if err := l.carrier.awaitSaved(ctx); err != nil {
			return err
		}
	}
	if err := l.carrier.kill(); err != nil {
		return err
	}
	if at.at.name == effectPOST {
		l.gate.note(func(s *seen) { s.left[e.recordedAs()] = true })
	}
	if at.side == before {
		return nil
	}
	return errCut
}

// awaitRest waits until an errand is done, or waits for a person or for its time.
func (l *lane) awaitRest(ctx SpecContext, e *errand) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).NotTo(BeElementOf(underWay, followed), found.says)
	})
}
