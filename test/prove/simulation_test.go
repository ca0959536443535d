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

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// simulation is one run: fifty objects of all kinds, their managers, and the faults of hours or
// weeks. The seed decides everything.
type simulation struct {
	*simulationRecorder

	ctx     context.Context //nolint:containedctx // of the synctest bubble: it lasts as long as the run
	random  *rand.Rand
	store   *store.Store
	world   *world.World
	carrier http.Handler
	rates   faultRates
	fleet   *fleet

	described bool // the carrier describes its services (extension ServiceRead)
	followed  bool // the carrier shows accepted orders (extension OrderRead)

	healthPrefix string // what health puts in front of the name of each plan

	managers       []*manager
	started        int // processes so far
	nested         int // the number of passes in progress that wait for another
	steps          int // the number of steps so far
	nextUserAction time.Time
	nextDisruption time.Time // when the next event happens to the managers
	faultsOver     bool      // no more faults
}

// newSimulation sets up a simulation for a seed.
func newSimulation(ctx context.Context, scheme *runtime.Scheme, seed uint64, traced bool) *simulation {
	sleep(beginning.Sub(now()))
	l := &simulation{ctx: ctx, random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // a run must be reproducible
	l.rates = drawRates(l.random)
	const someSeeds = 4
	l.described, l.followed = seed%someSeeds == 0, seed%someSeeds == 2
	uids := 0
	l.store = store.New(store.Options{Scheme: scheme, Now: now, NewUID: func() types.UID {
		uids++
		return types.UID(fmt.Sprintf("uid-%04d", uids))
	}})
	must(index.Fields(ctx, l.store))
	l.simulationRecorder = newSimulationRecorder(l, traced)
	l.world = world.Offline(l.store.Client(), now, func(options *simulator.Options) {
		options.Hostile, options.RandomSeed, options.JournalLimit = l.rates.hostile, seed, 1000
		options.Observe = func(call simulator.Call) { l.call = call }
		for _, extension := range l.extensions() {
			options.Seed.Extensions = append(options.Seed.Extensions, string(extension))
		}
		options.Seed.OneHealthRequest, options.Seed.SlowCancellations = seed%3 == 0, seed%5 < 2
		if seed%7 == 0 {
			l.healthPrefix = "Access "
		}
		for i := range options.Seed.Plans {
			options.Seed.Plans[i].HealthName = l.healthPrefix + options.Seed.Plans[i].Name
		}
		options.Seed.Delays[string(simulator.OpOrderCreate)] = simulator.Duration(orderLasts)
	})
	l.carrier = l.world.Carrier.Handler()
	must(l.world.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.world.Namespace}}))
	l.fleet = newFleet(l)
	for _, one := range l.fleet.members {
		must(l.world.Create(ctx, one.object()))
	}
	l.start()
	l.nextUserAction = now().Add(l.randomWait(l.rates.actionInterval))
	l.nextDisruption = now().Add(l.randomWait(l.rates.disruptionInterval))
	return l
}

// orderLasts is how long the carrier needs for an order.
const orderLasts = 10 * time.Minute

// extensions returns the extensions of the carrier, which the accounts use.
func (l *simulation) extensions() []v1alpha1.Extension {
	switch {
	case l.described:
		return []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
	case l.followed:
		return []v1alpha1.Extension{v1alpha1.ExtensionOrderRead}
	}
	return nil
}

// execute runs the simulation to its end.
func (l *simulation) execute() {
	l.runUntil(now().Add(l.rates.length))
	l.settle()
	l.checkIdle()
}

// chance returns true in some of a thousand cases.
func (l *simulation) chance(perMille int) bool { return l.random.IntN(1000) < perMille }

// randomWait returns a random wait with an average length.
func (l *simulation) randomWait(average time.Duration) time.Duration {
	return time.Duration(l.random.ExpFloat64() * float64(average))
}

// randomDelay returns a random wait of at least a second.
func (l *simulation) randomDelay(longest time.Duration) time.Duration {
	return time.Second + time.Duration(l.random.Int64N(int64(longest)))
}

// runUntil runs everything that is due before a point in time.
func (l *simulation) runUntil(end time.Time) {
	for {
		at, do := l.next()
		if do == nil || at.After(end) {
			sleep(end.Sub(now()))
			return
		}
		sleep(at.Sub(now()))
		do()
		l.checkStepLimit()
		l.checkWrites("")
		l.replaceDead()
	}
}

// checkStepLimit ends a run that does not end by itself, before it uses up the memory.
func (l *simulation) checkStepLimit() {
	const most = 200_000
	l.steps++
	if l.steps > most {
		panic(fmt.Sprintf("%d turns, and no end: last was %s", most, l.lastActive))
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
	if !l.faultsOver && l.nested == 0 {
		consider(l.nextUserAction, l.actOnRandom)
		consider(l.nextDisruption, l.disrupt)
	}
	if first.IsZero() {
		return first, nil
	}
	return first, do
}

// advance lets time pass at an effect of a manager, during which the others run. A stopped manager
// runs no other pass meanwhile.
func (l *simulation) advance(of *manager, length time.Duration, stopped bool) {
	const deepest = 2
	if l.nested >= deepest {
		sleep(length)
		return
	}
	l.nested++
	of.stopped = of.stopped || stopped
	l.runUntil(now().Add(length))
	of.stopped = of.stopped && !stopped
	l.nested--
}

// start starts a process that believes that it is the leader.
func (l *simulation) start() {
	l.started++
	m := &manager{simulation: l, number: l.started}
	m.ctx, m.cancel = context.WithCancel(l.ctx)
	m.port = &port{env: m, store: l.store, carrier: l.carrier, ahead: l.skew()}
	m.reconcilers = m.operator(m.number, l.world.Events)
	m.reconcilers.Accounts.Sessions.Changed = m.queueAccount
	m.delivered = l.store.Version()
	for _, one := range l.fleet.members {
		m.queue = append(m.queue, &queueEntry{member: one, due: now()})
	}
	for _, other := range l.managers {
		l.overlap = l.overlap || !other.dead
	}
	l.managers = append(l.managers, m)
}

// The most that a manager's clock is behind or ahead of the carrier's, and that two managers'
// clocks differ. An assertion is valid for almost a minute, and one from the future is refused.
const (
	maxBehind = 50 * time.Second
	maxAhead  = 5 * time.Second
	maxSkew   = maxBehind + maxAhead
)

// skew returns how far a manager's clock is ahead of the carrier's.
func (l *simulation) skew() time.Duration {
	if !l.rates.skewed {
		return 0
	}
	return time.Duration(l.random.Int64N(int64(maxSkew))) - maxBehind
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
