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

// killAt kills the leader at each of the fault points. Its successor handles what it leaves, and a
// change of its own.
func (l *lane) killAt(ctx SpecContext, points []faultPoint) {
	GinkgoHelper()
	for _, at := range points {
		l.replaceEnded()
		e := l.prepare(at.kind)
		var dies *manager
		point := l.armAt(e, at, func(apiCall) error {
			dies = l.proxy.leader()
			return l.kill(dies)
		})
		Expect(l.Create(ctx, e.object)).To(Succeed())
		if at.kind.trigger != nil {
			at.kind.trigger(ctx, l, e)
		}
		l.awaitInjected(ctx, point, at)
		Expect(dies.ended).To(BeClosed())
		l.faultCount++
	}
	if whole { // the last one has to survive a restart of the API server
		l.flags = nil
	}
	l.replaceEnded()
}

// savedRequests is what a killed carrier knows when it is restarted.
type savedRequests string

const (
	allSaved savedRequests = "all that it has accepted"
	someLost savedRequests = "what it had saved: up to a second is missing"
)

// killCarrierAt kills the carrier's process at each of the fault points, during a call that gets no
// response, and restarts it from its state.
func (l *lane) killCarrierAt(ctx SpecContext, points []faultPoint, saved savedRequests) {
	GinkgoHelper()
	l.replaceEnded()
	for _, at := range points {
		e := l.prepare(at.kind)
		Expect(l.carrier.awaitSaved(ctx)).To(Succeed())
		point := l.armAt(e, at, func(apiCall) error { return l.killCarrier(ctx, e, at, saved) })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		if at.kind.trigger != nil {
			at.kind.trigger(ctx, l, e)
		}
		l.awaitInjected(ctx, point, at)
		l.carrier.start()
		l.faultCount++
		l.awaitSettled(ctx, e)
		// An account whose POST got no response holds chargeable requests back until the carrier
		// responds.
		l.awaitReady(ctx, l.declare(ctx, queries()[0]))
	}
}

// killCarrier kills the carrier during a call. A call that was not forwarded yet finds no carrier;
// for a forwarded call the response is lost.
func (l *lane) killCarrier(ctx context.Context, e *change, at faultPoint, saved savedRequests) error {
	if saved == allSaved {
		if err := l.carrier.awaitSaved(ctx); err != nil {
			return err
		}
	}
	if err := l.carrier.kill(); err != nil {
		return err
	}
	if at.effect.name == effectPOST {
		l.proxy.update(func(s *record) { s.left[e.recordName()] = true })
	}
	if at.side == before {
		return nil
	}
	return errNoResponse
}

// awaitSettled waits until a change is done, or waits for a person or for its next time.
func (l *lane) awaitSettled(ctx SpecContext, e *change) {
	GinkgoHelper()
	l.eventually(ctx, func(g Gomega) {
		found := l.find(ctx, g, e)
		g.Expect(found.ending).NotTo(BeElementOf(noResult, polled), found.message)
	})
}
