// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
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

	looks   []*look // of every object, in the order of the fleet
	passes  []*look // in progress, the innermost last
	effect  Effect  // the newest
	login   bool    // a token was requested in this pass
	stopped bool    // it runs no pass for now
	ends    bool    // gracefully, after the passes in progress

	told  int64     // the version up to which its watches have sent events
	shown int64     // what its cache shows while it lags
	lags  time.Time // until then
}

// look is an object in a work queue.
type look struct {
	member   *member
	due      time.Time // zero: never
	failures int
	busy     bool // a pass over it is in progress
	again    bool // another pass is needed after that
}

// want puts an object into the queue.
func (k *look) want(at time.Time) {
	if k.busy {
		k.again = true
	}
	if k.due.IsZero() || at.Before(k.due) {
		k.due = at
	}
}

// next returns the manager's next step and when it is due; nil for none.
func (m *manager) next() (time.Time, func()) {
	if m.dead || m.stopped || m.ends && len(m.passes) > 0 {
		return time.Time{}, nil
	}
	m.hear()
	due := m.due()
	behind := now().Before(m.lags) && m.told < m.store.Version()
	switch {
	case behind && (len(due) == 0 || m.lags.Before(due[0].due)):
		return m.lags, m.hear
	case len(due) == 0:
		return time.Time{}, nil
	}
	return due[0].due, func() { m.pass(due[m.simulation.dice.IntN(len(due))]) }
}

// due returns the objects that are due first.
func (m *manager) due() []*look {
	var due []*look
	for _, one := range m.looks {
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
func (m *manager) pass(one *look) {
	one.busy, one.due, m.login = true, time.Time{}, false
	m.passes = append(m.passes, one)
	began := m.simulation.deeds
	result, err := m.alive(m.ctx, reconcilerOf(m.reconcilers, one.member.kind), one.member.key)
	m.passes = m.passes[:len(m.passes)-1]
	one.busy = false
	m.simulation.looked(one.member, m.simulation.deeds > began)
	switch {
	case err != nil && !errors.Is(err, errKilled):
		one.want(now().Add(backoff(one.failures)))
		one.failures++
	case result.RequeueAfter > 0:
		one.want(now().Add(result.RequeueAfter))
		one.failures = 0
	default:
		one.failures = 0
	}
	if one.again {
		one.again = false
		one.want(now())
	}
	if m.login && one.member.kind != kindAccount { // a failed login triggers a pass over the account
		m.lookOf(one.member.account).want(now())
	}
	m.dead = m.dead || m.ends && len(m.passes) == 0
}

// backoff returns the delay of a work queue.
func backoff(failures int) time.Duration {
	const first, longest = 5 * time.Millisecond, 1000 * time.Second
	return min(first<<min(failures, 20), longest)
}

func (m *manager) lookOf(one *member) *look { return m.looks[one.number] }

// current returns the object of the innermost pass.
func (m *manager) current() *member { return m.passes[len(m.passes)-1].member }

// version returns the version that the cache shows.
func (m *manager) version() int64 {
	if now().Before(m.lags) {
		return m.shown
	}
	return m.store.Version()
}

// hear delivers the watch events for what the cache shows by now.
func (m *manager) hear() {
	version := m.version()
	for _, change := range m.store.Since(m.told) {
		if change.Version > version {
			return
		}
		m.told = change.Version
		m.tell(change)
	}
}

// tell queues what has to be reconciled after a change, as the controllers' watches do.
func (m *manager) tell(change store.Change) {
	object := change.Now
	if object == nil {
		object = change.Before
	}
	m.freesTests(change)
	one := m.simulation.fleet.of(object)
	if one == nil {
		return
	}
	if ledger, is := object.(*v1alpha1.RequestLedger); is {
		m.notifyOfLedger(one, ledger, change)
		return
	}
	if left(change) {
		m.wakeOthers(one)
	}
	restored := m.simulation.restored[change.Version] // as a new object, or to a new process: both are reconciled
	if restored || news(change) {
		m.lookOf(one).want(now())
	}
	if doubted(change.Before, change.Now) {
		m.lookOf(one).want(now().Add(controllers.DoubtAfter))
	}
	for _, other := range one.followers {
		m.lookOf(other).want(now())
	}
}

// notifyOfLedger does the same for a member's ledger.
func (m *manager) notifyOfLedger(holder *member, ledger *v1alpha1.RequestLedger, change store.Change) {
	news := m.reconcilers.Orders.Ledgers.IsNews(ledger.Name, ledger.Spec.Revision)
	if news {
		m.lookOf(holder).want(now())
	}
	if news || controllers.Handed(change.Before, change.Now) {
		m.wakeOthers(holder)
	}
}

// left reports whether an object is gone or was replaced by another.
func left(change store.Change) bool {
	before, after := change.Before, change.Now
	return before != nil && (after == nil || before.GetUID() != after.GetUID())
}

// wakeOthers queues the other objects of a service or a customerReference. A change of their ledger
// concerns all of them, and so does the deletion of one; a change of another's status does not.
func (m *manager) wakeOthers(of *member) {
	for _, one := range m.simulation.fleet.members {
		if one != of && one.about == of.about {
			m.lookOf(one).want(now())
		}
	}
}

// freesTests queues the tests of a service when one of them has ended or is gone: the next may wait
// for it.
func (m *manager) freesTests(change store.Change) {
	var number int64
	switch object := change.Now.(type) {
	case *v1alpha1.RequestLedger:
		news := m.reconcilers.Orders.Ledgers.IsNews(object.Name, object.Spec.Revision)
		if object.Spec.Diagnostics != nil && (news || len(object.Spec.Open) == 0) {
			number = object.Spec.Diagnostics.ID.Number()
		}
	case nil:
		if test, is := change.Before.(*v1alpha1.DiagnosticTest); is {
			number = test.Spec.ServiceID.Number()
		}
	}
	for _, one := range m.simulation.fleet.members {
		if one.tests == number && number != 0 {
			m.lookOf(one).want(now())
		}
	}
}

// begin implements scene.
func (m *manager) begin(sort Sort, what string) (Effect, Kind) {
	kind := m.simulation.fate(sort)
	m.effect = m.simulation.begins(m, sort, what, kind)
	m.login = m.login || sort == Token
	return m.effect, kind
}

// act implements scene: while an effect is in progress, time passes and others act.
func (m *manager) act(_ *port, _ Sort, _ Kind) {
	if m.effect.Sort == Write || m.effect.Sort == Poll || m.effect.Sort == Post {
		m.simulation.meanwhile(m)
	}
}

// refuses implements scene. The effect has not happened.
func (*manager) refuses(Effect, Kind) {}

// wait implements scene. In a simulation time may pass at any effect, which act handles.
func (*manager) wait(*port, Sort) {}

// check implements scene.
func (m *manager) check(effect Effect) { m.simulation.happened(m, effect) }

// sends implements scene.
func (m *manager) sends(p *port, path string, body []byte) {
	m.simulation.sends(m, p.sender, path, body)
}

// hurries implements scene.
func (m *manager) hurries(how string) { m.simulation.breaks(11, how) }

// panics implements scene.
func (m *manager) panics(how string) { m.simulation.breaks(24, how) }

// cached implements scene.
func (m *manager) cached(*port, runtime.Object) client.Reader {
	m.hear()
	return m.store.AsOf(m.version())
}
