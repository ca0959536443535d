// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// shortLease shortens the wait of a successor for the lease of a killed leader. If no manager is
// killed, or a standby takes over, the shipped durations are used.
func shortLease() []string {
	return []string{
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=1s",
	}
}

// killAt kills the leader at each of the cuts. Its successor handles what it leaves behind, and an
// errand of its own.
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
	if whole { // the last one has to survive a restart of the API server
		l.flags = nil
	}
	l.attend()
}

// remains is what a killed carrier knows when it is restarted.
type remains string

const (
	kept remains = "all that it has taken"
	lost remains = "what it had saved: up to a second is missing"
)

// killCarrierAt kills the carrier's process at each of the cuts, during a call that is not
// answered, and restarts it from its state.
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
		// An account whose POST got no response holds chargeable requests back until the carrier
		// responds.
		l.awaitReady(ctx, l.declare(ctx, questions()[0]))
	}
}

// killCarrier kills the carrier during a call. A call that was not forwarded yet finds no carrier;
// for a forwarded call the response is lost.
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

// awaitRest waits until an errand is done, or waits for a person or for its next time.
func (l *lane) awaitRest(ctx SpecContext, e *errand) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).NotTo(BeElementOf(underWay, followed), found.says)
	})
}
