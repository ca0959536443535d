// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"math/rand/v2"
	"time"
)

// climate is the set of fault rates of a simulation.
type climate struct {
	length  time.Duration // of the part with faults
	acting  time.Duration // between two actions of people, on average
	turning time.Duration // between two events that hit the managers
	hostile bool          // whether the carrier is hostile
	pair    bool          // now and then two managers are leaders at the same time
	faults  int           // of a thousand effects
	slow    int           // of a thousand effects
	meddled int           // of a thousand effects, those immediately before which a person acts
	clocks  bool          // each manager has a clock of its own
	wrong   bool          // people sometimes give false resolutions
}

// climateOf draws a climate.
func climateOf(dice *rand.Rand) climate {
	const third = 20 * time.Minute
	lengths := []time.Duration{third, third, third + third/2, time.Hour}
	const rare, weeks = 180, 14 * 24 * time.Hour
	c := climate{
		length: lengths[dice.IntN(len(lengths))], hostile: dice.IntN(5) < 2, pair: dice.IntN(3) == 0,
		faults: []int{0, 5, 20, 60}[dice.IntN(4)], slow: dice.IntN(15), meddled: dice.IntN(20),
	}
	c.clocks, c.wrong = dice.IntN(2) == 0, dice.IntN(2) == 0
	switch dice.IntN(rare) {
	case 0:
		c.length = weeks
	case 1, 2, 3:
		c.length = weeks / 7
	}
	const acts, turns = 24, 4
	c.acting, c.turning = c.length/acts, c.length/turns
	return c
}

// fate returns the fault of an effect, if any.
func (l *simulation) fate(sort Sort) Kind {
	remote := sort == Post || sort == Poll || sort == Token
	switch {
	case l.peace:
		return nothing
	case !remote && now().Before(l.noServer):
		return Refused
	case remote && now().Before(l.noCarrier):
		return []Kind{Refused, Unavailable}[l.dice.IntN(2)]
	case !l.chance(l.climate.faults):
		return nothing
	}
	return l.fault(sort)
}

// fault draws one of the faults of a sort. Processes fail less often than networks.
func (l *simulation) fault(sort Sort) Kind {
	const sturdy = 700
	kinds := common(sort)
	kind := kinds[l.dice.IntN(len(kinds))]
	if kind.crashes() && l.chance(sturdy) {
		return nothing
	}
	return kind
}

// meanwhile draws what happens while an effect of a manager is in progress.
func (l *simulation) meanwhile(m *manager) {
	if l.peace {
		return
	}
	if l.chance(l.climate.meddled) {
		l.acts(m.current())
	}
	const moment, longGate = 10 * time.Second, 3 * time.Minute
	switch {
	case !l.chance(l.climate.slow):
	case m.effect.Sort == Post || l.dice.IntN(4) > 0:
		l.counts("a slow answer")
		l.elapse(m, l.upTo(moment), false)
	case l.dice.IntN(8) == 0:
		l.counts("a manager is told to stop")
		m.ends = true
		m.cancel()
	default:
		l.counts("a manager stops for longer than the gate")
		l.elapse(m, moment+l.upTo(longGate), true)
	}
}

// befall draws an event that hits the managers or their dependencies.
func (l *simulation) befall() {
	l.turmoil = now().Add(l.soon(l.climate.turning))
	events := []struct {
		name string
		do   func()
	}{
		{"a manager is killed", func() { l.anyManager().dead = true }},
		{"another manager leads", l.succeed},
		{"two managers lead", l.split},
		{"the cache lags behind", l.lag},
		{"the API server is away", func() { l.noServer = now().Add(l.upTo(5 * time.Minute)) }},
		{"the carrier is away", func() { l.noCarrier = now().Add(l.upTo(20 * time.Minute)) }},
		{"the carrier forgets its requests", l.forgetSome},
		{"the carrier revokes its tokens", l.world.Carrier.RevokeTokens},
	}
	event := events[l.dice.IntN(len(events))]
	l.counts(event.name)
	event.do()
	l.replaceDead()
}

func (l *simulation) anyManager() *manager { return l.managers[l.dice.IntN(len(l.managers))] }

// succeed ends a manager gracefully while another takes over.
func (l *simulation) succeed() {
	before := l.anyManager()
	l.start()
	before.ends, before.dead = true, true
	before.cancel()
}

// split makes two managers leaders for some time.
func (l *simulation) split() {
	if l.climate.pair && len(l.managers) == 1 {
		l.start()
	}
}

// lag freezes a cache for some time at the version up to which its watches have sent events.
func (l *simulation) lag() {
	m := l.anyManager()
	m.hear()
	m.shown = m.told
	m.lags = now().Add(l.upTo(2 * time.Minute))
}

// forgetSome makes the carrier lose its data, rarely: being sure of that takes the operator a day.
func (l *simulation) forgetSome() {
	if l.chance(50) {
		l.world.Carrier.Forget()
	}
}
