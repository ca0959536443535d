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

	life        *life
	number      int
	ctx         context.Context //nolint:containedctx // a manager is a process, which ends with it
	cancel      context.CancelFunc
	reconcilers controllers.Reconcilers

	looks   []*look // of every object, in the order of the fleet
	passes  []*look // under way, the innermost last
	effect  Effect  // the newest
	login   bool    // a token was asked for in this pass
	stopped bool    // it takes no pass for now
	ends    bool    // gracefully, after the passes that are under way

	told  int64     // the version up to which its watches have told it
	shown int64     // what its cache shows while it lags behind
	lags  time.Time // until then
}

// look is an object in a work queue.
type look struct {
	member   *member
	due      time.Time // zero: never
	failures int
	busy     bool // a pass over it is under way
	again    bool // it is wanted once more after that
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

// next is what a manager does first, and when; nil: nothing.
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
	return due[0].due, func() { m.pass(due[m.life.dice.IntN(len(due))]) }
}

// due are the objects that are to be looked at first.
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

// pass takes one look at an object.
func (m *manager) pass(one *look) {
	one.busy, one.due, m.login = true, time.Time{}, false
	m.passes = append(m.passes, one)
	began := m.life.deeds
	result, err := m.alive(m.ctx, reconcilerOf(m.reconcilers, one.member.kind), one.member.key)
	m.passes = m.passes[:len(m.passes)-1]
	one.busy = false
	m.life.looked(one.member, m.life.deeds > began)
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
	if m.login && one.member.kind != kindAccount { // a login that fails in use has the account looked at
		m.lookOf(one.member.account).want(now())
	}
	m.dead = m.dead || m.ends && len(m.passes) == 0
}

// backoff is that of a work queue.
func backoff(failures int) time.Duration {
	const first, longest = 5 * time.Millisecond, 1000 * time.Second
	return min(first<<min(failures, 20), longest)
}

func (m *manager) lookOf(one *member) *look { return m.looks[one.number] }

// current is the object that the innermost pass is about.
func (m *manager) current() *member { return m.passes[len(m.passes)-1].member }

// version is that which the cache shows.
func (m *manager) version() int64 {
	if now().Before(m.lags) {
		return m.shown
	}
	return m.store.Version()
}

// hear has the watches tell what the cache shows by now.
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

// tell puts into the queue what a change is news for, as the watches of the controllers do.
func (m *manager) tell(change store.Change) {
	object := change.Now
	if object == nil {
		object = change.Before
	}
	m.freesTests(change)
	one := m.life.fleet.of(object)
	if one == nil {
		return
	}
	if ledger, is := object.(*v1alpha1.RequestLedger); is {
		m.tellOfLedger(one, ledger, change)
		return
	}
	if left(change) {
		m.wakeOthers(one)
	}
	restored := m.life.restored[change.Version] // as a new object, or to a new process: either looks at it
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

// tellOfLedger does so for the ledger that a member holds.
func (m *manager) tellOfLedger(holder *member, ledger *v1alpha1.RequestLedger, change store.Change) {
	news := m.reconcilers.Orders.Ledgers.IsNews(ledger.Name, ledger.Spec.Revision)
	if news {
		m.lookOf(holder).want(now())
	}
	if news || controllers.Handed(change.Before, change.Now) {
		m.wakeOthers(holder)
	}
}

// left says whether an object is gone, or another has taken its place.
func left(change store.Change) bool {
	before, after := change.Before, change.Now
	return before != nil && (after == nil || before.GetUID() != after.GetUID())
}

// wakeOthers has the other objects of a service, or of a customerReference, looked at: what is in
// their ledger, and that one of them is gone, is news to all of them. Another's status is none.
func (m *manager) wakeOthers(of *member) {
	for _, one := range m.life.fleet.members {
		if one != of && one.about == of.about {
			m.lookOf(one).want(now())
		}
	}
}

// freesTests has the tests of a service looked at when one of them has ended or gone: the next may
// wait for it.
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
	for _, one := range m.life.fleet.members {
		if one.tests == number && number != 0 {
			m.lookOf(one).want(now())
		}
	}
}

// begin implements scene.
func (m *manager) begin(sort Sort, what string) (Effect, Kind) {
	kind := m.life.fate(sort)
	m.effect = m.life.begins(m, sort, what, kind)
	m.login = m.login || sort == Token
	return m.effect, kind
}

// act implements scene: while an effect is on its way, time passes, and others do things.
func (m *manager) act(_ *port, _ Sort, _ Kind) {
	if m.effect.Sort == Write || m.effect.Sort == Poll || m.effect.Sort == Post {
		m.life.meanwhile(m)
	}
}

// refuses implements scene: nothing has happened.
func (*manager) refuses(Effect, Kind) {}

// wait implements scene. In a life, time passes at any effect, and act is where.
func (*manager) wait(*port, Sort) {}

// check implements scene.
func (m *manager) check(effect Effect) { m.life.happened(m, effect) }

// sends implements scene.
func (m *manager) sends(p *port, path string, body []byte) { m.life.sends(m, p.sender, path, body) }

// hurries implements scene.
func (m *manager) hurries(how string) { m.life.breaks(11, how) }

// panics implements scene.
func (m *manager) panics(how string) { m.life.breaks(24, how) }

// cached implements scene.
func (m *manager) cached(*port, runtime.Object) client.Reader {
	m.hear()
	return m.store.AsOf(m.version())
}
