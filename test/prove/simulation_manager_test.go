// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/test/store"
)

// manager is a process with its work queue and its cache.
type manager struct {
	*port

	simulation  *simulation
	number      int
	ctx         context.Context //nolint:containedctx // a manager is a process, which ends with it
	cancel      context.CancelFunc
	reconcilers controllers.Reconcilers

	queue    []*queueEntry // of every object, in the order of the fleet
	passes   []*queueEntry // in progress, the innermost last
	effect   Effect        // the newest
	stopped  bool          // it runs no pass for now
	stopping bool          // gracefully, after the passes in progress

	delivered     int64     // the version up to which its watches have sent events
	frozenVersion int64     // what its cache shows while it lags
	frozenUntil   time.Time // when it stops lagging
}

// queueEntry is an object in a work queue.
type queueEntry struct {
	member   *member
	due      time.Time // zero: never
	failures int
	busy     bool // a pass over it is in progress
	redo     bool // another pass is needed after that
}

// schedule puts an object into the queue.
func (k *queueEntry) schedule(at time.Time) {
	if k.busy {
		k.redo = true
	}
	if k.due.IsZero() || at.Before(k.due) {
		k.due = at
	}
}

// next returns the manager's next step and when it is due; nil for none.
func (m *manager) next() (time.Time, func()) {
	if m.dead || m.stopped || m.stopping && len(m.passes) > 0 {
		return time.Time{}, nil
	}
	m.deliverEvents()
	due := m.due()
	behind := now().Before(m.frozenUntil) && m.delivered < m.store.Version()
	switch {
	case behind && (len(due) == 0 || m.frozenUntil.Before(due[0].due)):
		return m.frozenUntil, m.deliverEvents
	case len(due) == 0:
		return time.Time{}, nil
	}
	return due[0].due, func() { m.pass(due[m.simulation.random.IntN(len(due))]) }
}

// due returns the objects that are due first.
func (m *manager) due() []*queueEntry {
	var due []*queueEntry
	for _, one := range m.queue {
		switch {
		case one.due.IsZero(), one.busy:
		case len(due) == 0, one.due.Before(due[0].due):
			due = append(due[:0], one)
		case one.due.Equal(due[0].due):
			due = append(due, one)
		}
	}
	return due
}

// pass runs one pass over an object.
func (m *manager) pass(one *queueEntry) {
	one.busy, one.due = true, time.Time{}
	m.passes = append(m.passes, one)
	began := m.simulation.changes
	result, err := m.reconcile(m.ctx, reconcilerOf(m.reconcilers, one.member.kind), one.member.key)
	m.passes = m.passes[:len(m.passes)-1]
	one.busy = false
	m.simulation.passEnded(one.member, m.simulation.changes > began)
	switch {
	case err != nil && !errors.Is(err, errProcessEnded):
		one.schedule(now().Add(backoff(one.failures)))
		one.failures++
	case result.RequeueAfter > 0:
		one.schedule(now().Add(result.RequeueAfter))
		one.failures = 0
	default:
		one.failures = 0
	}
	if one.redo {
		one.redo = false
		one.schedule(now())
	}
	m.dead = m.dead || m.stopping && len(m.passes) == 0
}

// backoff returns the delay of a work queue.
func backoff(failures int) time.Duration {
	const first, longest = 5 * time.Millisecond, 1000 * time.Second
	return min(first<<min(failures, 20), longest)
}

func (m *manager) entryOf(one *member) *queueEntry { return m.queue[one.number] }

// queueAccount queues an account about which a call has shown something new: the account cannot log
// in, or its carrier has stopped or started responding.
func (m *manager) queueAccount(account types.NamespacedName) {
	m.entryOf(m.simulation.fleet.byKey[nameOf(kindAccount, account.Name)]).schedule(now())
}

// current returns the object of the innermost pass.
func (m *manager) current() *member { return m.passes[len(m.passes)-1].member }

// version returns the version that the cache shows.
func (m *manager) version() int64 {
	if now().Before(m.frozenUntil) {
		return m.frozenVersion
	}
	return m.store.Version()
}

// deliverEvents delivers the watch events for what the cache shows by now.
func (m *manager) deliverEvents() {
	version := m.version()
	for _, change := range m.store.Since(m.delivered) {
		if change.Version > version {
			return
		}
		m.delivered = change.Version
		m.queueFor(change)
	}
}

// queueFor queues what has to be reconciled after a change, as the controllers' watches do.
func (m *manager) queueFor(change store.Change) {
	object := objectOf(change)
	m.queueTests(change)
	one := m.simulation.fleet.memberOf(object)
	if one == nil {
		return
	}
	if _, is := object.(*v1alpha1.RequestLedger); is {
		m.queueForLedger(one, change)
		return
	}
	if wasReplaced(change) {
		m.queueOthers(one)
	}
	// A restored object is reconciled immediately. In a cluster that happens because it is a new
	// object, or because a process starts after the restore.
	restored := m.simulation.restored[change.Version]
	if restored || isUserChange(change) {
		m.entryOf(one).schedule(now())
	}
	if becameLessSettled(change.Before, change.Now) {
		m.entryOf(one).schedule(now().Add(watch.RecheckAfter))
	}
	for _, other := range one.dependents {
		m.entryOf(other).schedule(now())
	}
}

// objectOf returns the object that a change is about, as it is now, or as it was if it is gone.
func objectOf(change store.Change) client.Object {
	if change.Now == nil {
		return change.Before
	}
	return change.Now
}

// queueForLedger queues what has to be reconciled after a change of a member's ledger.
func (m *manager) queueForLedger(holder *member, change store.Change) {
	news := watch.IsLedgerNews(m.reconcilers.Orders.Ledgers, change.Before, change.Now)
	if news {
		m.entryOf(holder).schedule(now())
	}
	if news || watch.HolderChanged(change.Before, change.Now) {
		m.queueOthers(holder)
	}
}

// wasReplaced reports whether an object is gone or was replaced by another.
func wasReplaced(change store.Change) bool {
	before, after := change.Before, change.Now
	return before != nil && (after == nil || before.GetUID() != after.GetUID())
}

// queueOthers queues the other objects of a service or a customerReference. A change of their
// ledger concerns all of them, and so does the deletion of one of them. A change of another
// object's status does not.
func (m *manager) queueOthers(of *member) {
	for _, one := range m.simulation.fleet.members {
		if one != of && one.subject == of.subject {
			m.entryOf(one).schedule(now())
		}
	}
}

// queueTests queues the tests of a service when one of them has ended or is gone, or when another
// process has written their ledger, because the next test may be waiting for that.
func (m *manager) queueTests(change store.Change) {
	var number int64
	switch object := objectOf(change).(type) {
	case *v1alpha1.RequestLedger:
		news := watch.IsLedgerNews(m.reconcilers.Orders.Ledgers, change.Before, change.Now)
		if object.Spec.Diagnostics != nil && (news || len(object.Spec.Open) == 0) {
			number = object.Spec.Diagnostics.ID.Number()
		}
	case *v1alpha1.DiagnosticTest:
		if change.Now == nil {
			number = object.Spec.ServiceID.Number()
		}
	}
	for _, one := range m.simulation.fleet.members {
		if one.testedService == number && number != 0 {
			m.entryOf(one).schedule(now())
		}
	}
}

// begin implements environment.
func (m *manager) begin(op Op, what string) (Effect, FaultKind) {
	kind := m.simulation.drawFault(op)
	m.effect = m.simulation.startEffect(m, op, what, kind)
	return m.effect, kind
}

// act implements environment: while an effect is in progress, time passes and others act.
func (m *manager) act(_ *port, _ Op, _ FaultKind) {
	if m.effect.Op == Write || m.effect.Op == Poll || m.effect.Op == Post {
		m.simulation.duringEffect(m)
	}
}

// responseReplaced implements environment. The effect has not happened.
func (*manager) responseReplaced(Effect, FaultKind) {}

// delayResponse implements environment. In a simulation time may pass at any effect, which act
// handles.
func (*manager) delayResponse(*port, Op) {}

// check implements environment.
func (m *manager) check(effect Effect) { m.simulation.checkEffect(m, effect) }

// posting implements environment.
func (m *manager) posting(p *port, path string, body []byte) {
	m.simulation.checkPost(m, p.sender, path, body)
}

// reportEarlyPoll implements environment.
func (m *manager) reportEarlyPoll(how string) { m.simulation.report(11, how) }

// reportPanic implements environment.
func (m *manager) reportPanic(how string) { m.simulation.report(24, how) }

// cached implements environment.
func (m *manager) cached(*port, runtime.Object) client.Reader {
	m.deliverEvents()
	return m.store.AsOf(m.version())
}
