// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// simulation is one run: fifty objects of all kinds, their managers, and the faults of hours or weeks.
// The seed decides everything.
type simulation struct {
	*chronicle

	ctx     context.Context //nolint:containedctx // of the synctest bubble: it lasts as long as the run
	dice    *rand.Rand
	store   *store.Store
	world   *world.World
	carrier http.Handler
	climate climate
	fleet   *fleet

	managers []*manager
	started  int // processes so far
	nested   int // the number of passes in progress that wait for another
	turns    int // the number of steps so far
	people   time.Time
	turmoil  time.Time // when the next event happens to the managers
	peace    bool      // no more faults
}

// newSimulation sets up a simulation for a seed.
func newSimulation(ctx context.Context, scheme *runtime.Scheme, seed uint64, watched bool) *simulation {
	sleep(beginning.Sub(now()))
	l := &simulation{ctx: ctx, dice: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // a run must be reproducible
	l.climate = climateOf(l.dice)
	uids := 0
	l.store = store.New(store.Options{Scheme: scheme, Now: now, NewUID: func() types.UID {
		uids++
		return types.UID(fmt.Sprintf("uid-%04d", uids))
	}})
	l.chronicle = newChronicle(l, watched)
	l.world = world.Offline(l.store.Client(), now, func(options *simulator.Options) {
		options.Hostile, options.RandomSeed, options.JournalLimit = l.climate.hostile, seed, 1000
		options.Observe = func(call simulator.Call) { l.call = call }
	})
	l.carrier = l.world.Carrier.Handler()
	must(l.world.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.world.Namespace}}))
	l.fleet = newFleet(l)
	for _, one := range l.fleet.members {
		must(l.world.Create(ctx, one.object()))
	}
	l.start()
	l.people, l.turmoil = now().Add(l.soon(l.climate.acting)), now().Add(l.soon(l.climate.turning))
	return l
}

// play runs the simulation to its end.
func (l *simulation) play() {
	l.until(now().Add(l.climate.length))
	l.resolve()
	l.close()
}

// chance returns true in some of a thousand cases.
func (l *simulation) chance(perMille int) bool { return l.dice.IntN(1000) < perMille }

// soon returns a random wait with an average length.
func (l *simulation) soon(average time.Duration) time.Duration {
	return time.Duration(l.dice.ExpFloat64() * float64(average))
}

// upTo returns a random wait of at least a second.
func (l *simulation) upTo(longest time.Duration) time.Duration {
	return time.Second + time.Duration(l.dice.Int64N(int64(longest)))
}

// until runs everything that is due before a point in time.
func (l *simulation) until(end time.Time) {
	for {
		at, do := l.next()
		if do == nil || at.After(end) {
			sleep(end.Sub(now()))
			return
		}
		sleep(at.Sub(now()))
		do()
		l.tires()
		l.notice("")
		l.replaceDead()
	}
}

// tires ends a run that comes to no end, before it uses up the memory.
func (l *simulation) tires() {
	const most = 200_000
	l.turns++
	if l.turns > most {
		panic(fmt.Sprintf("%d turns, and no end: last was %s", most, l.busy))
	}
}

// next returns the next step and when it is due.
func (l *simulation) next() (time.Time, func()) {
	first, do := time.Time{}, func() {}
	consider := func(at time.Time, what func()) {
		if first.IsZero() || at.Before(first) {
			first, do = at, what
		}
	}
	for _, one := range l.managers {
		if at, what := one.next(); what != nil {
			consider(at, what)
		}
	}
	if !l.peace && l.nested == 0 {
		consider(l.people, l.somebodyActs)
		consider(l.turmoil, l.befall)
	}
	if first.IsZero() {
		return first, nil
	}
	return first, do
}

// elapse lets time pass at an effect of a manager, during which the others run. A manager that is
// stopped runs no other pass meanwhile.
func (l *simulation) elapse(of *manager, length time.Duration, stopped bool) {
	const deepest = 2
	if l.nested >= deepest {
		sleep(length)
		return
	}
	l.nested++
	of.stopped = of.stopped || stopped
	l.until(now().Add(length))
	of.stopped = of.stopped && !stopped
	l.nested--
}

// start starts a process that believes that it is the leader.
func (l *simulation) start() {
	l.started++
	m := &manager{simulation: l, number: l.started}
	m.ctx, m.cancel = context.WithCancel(l.ctx)
	m.port = &port{scene: m, store: l.store, carrier: l.carrier, ahead: l.skew()}
	m.reconcilers = m.operator(m.number, l.world.Events)
	m.told = l.store.Version()
	for _, one := range l.fleet.members {
		m.looks = append(m.looks, &look{member: one, due: now()})
	}
	for _, other := range l.managers {
		l.overlap = l.overlap || !other.dead
	}
	l.managers = append(l.managers, m)
}

// skewed is the most that a manager's clock is behind: an assertion is valid for a minute, and one
// from the future is refused.
const skewed = 50 * time.Second

// skew returns how far a manager's clock is ahead of the carrier's.
func (l *simulation) skew() time.Duration {
	if !l.climate.clocks {
		return 0
	}
	return -time.Duration(l.dice.Int64N(int64(skewed)))
}

// replaceDead removes the processes that have ended. At least one is always running.
func (l *simulation) replaceDead() {
	alive := l.managers[:0:0]
	for _, one := range l.managers {
		if one.dead && len(one.passes) == 0 {
			one.cancel()
			continue
		}
		alive = append(alive, one)
	}
	l.managers = alive
	for _, one := range alive {
		if !one.dead {
			return
		}
	}
	l.start()
}

// subject returns a member as recorded; nil if it does not exist.
func (l *simulation) subject(one *member) Subject {
	object := one.empty()
	if err := l.store.Client().Get(l.ctx, one.key, object); err != nil {
		return nil
	}
	return asRecorded(l.ctx, l.store.Client(), object)
}

// keyOf returns the key of an object in the common namespace.
func (l *simulation) keyOf(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: l.world.Namespace, Name: name}
}
