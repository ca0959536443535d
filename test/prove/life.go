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

// life is fifty objects of all kinds, the managers that look after them, and what befalls
// them for hours or weeks. One seed decides all of it.
type life struct {
	*chronicle

	ctx     context.Context //nolint:containedctx // that of the bubble: a life lasts no longer
	dice    *rand.Rand
	store   *store.Store
	world   *world.World
	carrier http.Handler
	climate climate
	fleet   *fleet

	managers []*manager
	started  int // processes so far
	nested   int // how many passes are under way that wait for another's
	turns    int // how often somebody has done something
	people   time.Time
	turmoil  time.Time // when something befalls the managers next
	peace    bool      // nothing goes wrong any more
}

// newLife sets the stage for a seed.
func newLife(ctx context.Context, scheme *runtime.Scheme, seed uint64, watched bool) *life {
	sleep(beginning.Sub(now()))
	l := &life{ctx: ctx, dice: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // a life must be the same again
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

// play tells a life to its end.
func (l *life) play() {
	l.until(now().Add(l.climate.length))
	l.resolve()
	l.close()
}

// chance comes true in some of a thousand cases.
func (l *life) chance(perMille int) bool { return l.dice.IntN(1000) < perMille }

// soon is a wait that is as long as another on average.
func (l *life) soon(average time.Duration) time.Duration {
	return time.Duration(l.dice.ExpFloat64() * float64(average))
}

// upTo is a wait of at least a second.
func (l *life) upTo(longest time.Duration) time.Duration {
	return time.Second + time.Duration(l.dice.Int64N(int64(longest)))
}

// until lets everybody do what is due until a moment.
func (l *life) until(end time.Time) {
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

// tires ends a life in which nothing comes to an end, before it has used up the memory.
func (l *life) tires() {
	const most = 200_000
	l.turns++
	if l.turns > most {
		panic(fmt.Sprintf("%d turns, and no end: last was %s", most, l.busy))
	}
}

// next is who does something first, and when.
func (l *life) next() (time.Time, func()) {
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

// elapse lets time pass at an effect of a manager, in which the others go on. One that is
// stopped takes no other pass meanwhile.
func (l *life) elapse(of *manager, length time.Duration, stopped bool) {
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

// start begins a process that believes that it leads.
func (l *life) start() {
	l.started++
	m := &manager{life: l, number: l.started}
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

// skewed is by how much the clock of a manager is behind, at the most: an assertion is good for a
// minute, and one from the future is refused.
const skewed = 50 * time.Second

// skew is by how much the clock of a manager is ahead of the carrier's.
func (l *life) skew() time.Duration {
	if !l.climate.clocks {
		return 0
	}
	return -time.Duration(l.dice.Int64N(int64(skewed)))
}

// replaceDead takes away the processes that have ended. One at least is always at work.
func (l *life) replaceDead() {
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

// subject is a member as it is on record; nil when it is not there.
func (l *life) subject(one *member) Subject {
	object := one.empty()
	if err := l.store.Client().Get(l.ctx, one.key, object); err != nil {
		return nil
	}
	return asRecorded(l.ctx, l.store.Client(), object)
}

// object is the key of an object in the namespace of all of them.
func (l *life) keyOf(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: l.world.Namespace, Name: name}
}
