// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"math/rand/v2"
	"time"
)

// faultRates is the set of fault rates of a simulation.
type faultRates struct {
	length             time.Duration // of the part with faults
	actionInterval     time.Duration // between two actions of people, on average
	disruptionInterval time.Duration // between two events that hit the managers
	hostile            bool          // whether the carrier is hostile
	twoLeaders         bool          // now and then two managers are leaders at the same time
	faults             int           // of a thousand effects
	slow               int           // of a thousand effects
	actions            int           // of a thousand effects, those before which a person acts
	skewed             bool          // each manager has a clock of its own
	falseResolutions   bool          // people sometimes give false resolutions
}

// drawRates draws the rates.
func drawRates(random *rand.Rand) faultRates {
	const third = 20 * time.Minute
	lengths := []time.Duration{third, third, third + third/2, time.Hour}
	const rare, weeks = 180, 14 * 24 * time.Hour
	c := faultRates{
		length: lengths[random.IntN(len(lengths))], hostile: random.IntN(5) < 2, twoLeaders: random.IntN(3) == 0,
		faults: []int{0, 5, 20, 60}[random.IntN(4)], slow: random.IntN(15), actions: random.IntN(20),
	}
	c.skewed, c.falseResolutions = random.IntN(2) == 0, random.IntN(2) == 0
	switch random.IntN(rare) {
	case 0:
		c.length = weeks
	case 1, 2, 3:
		c.length = weeks / 7
	}
	const actions, disruptions = 24, 4
	c.actionInterval, c.disruptionInterval = c.length/actions, c.length/disruptions
	return c
}

// drawFault returns the fault of an effect, if any.
func (l *simulation) drawFault(op Op) FaultKind {
	remote := op == Post || op == Poll || op == Token
	switch {
	case l.faultsOver:
		return noFault
	case !remote && now().Before(l.apiServerDownUntil):
		return Refused
	case remote && now().Before(l.carrierDownUntil):
		return []FaultKind{Refused, Unavailable}[l.random.IntN(2)]
	case !l.chance(l.rates.faults):
		return noFault
	}
	return l.randomFault(op)
}

// randomFault draws one of the faults of a sort. Processes fail less often than networks.
func (l *simulation) randomFault(op Op) FaultKind {
	const sturdy = 700
	kinds := common(op)
	kind := kinds[l.random.IntN(len(kinds))]
	if kind.isCrash() && l.chance(sturdy) {
		return noFault
	}
	return kind
}

// duringEffect draws what happens while an effect of a manager is in progress.
func (l *simulation) duringEffect(m *manager) {
	if l.faultsOver {
		return
	}
	if l.chance(l.rates.actions) {
		l.actOn(m.current())
	}
	const moment, longGate = 10 * time.Second, 3 * time.Minute
	switch {
	case !l.chance(l.rates.slow):
	case m.effect.Op == Post || l.random.IntN(4) > 0:
		l.countAction("a slow response")
		l.advance(m, l.randomDelay(moment), false)
	case l.random.IntN(8) == 0:
		l.countAction("a manager shuts down")
		m.stopping = true
		m.cancel()
	default:
		l.countAction("a manager stops for longer than the gate")
		l.advance(m, moment+l.randomDelay(longGate), true)
	}
}

// disrupt draws an event that hits the managers or their dependencies.
func (l *simulation) disrupt() {
	l.nextDisruption = now().Add(l.randomWait(l.rates.disruptionInterval))
	events := []struct {
		name string
		do   func()
	}{
		{"a manager is killed", func() { l.anyManager().dead = true }},
		{"another manager leads", l.replaceManager},
		{"two managers lead", l.startSecondLeader},
		{"the cache lags behind", l.freezeCache},
		{"the API server is unavailable", func() { l.apiServerDownUntil = now().Add(l.randomDelay(5 * time.Minute)) }},
		{"the carrier is unavailable", func() { l.carrierDownUntil = now().Add(l.randomDelay(20 * time.Minute)) }},
		{"the carrier forgets its requests", l.forgetSome},
		{"the carrier revokes its tokens", l.world.Carrier.RevokeTokens},
	}
	event := events[l.random.IntN(len(events))]
	l.countAction(event.name)
	event.do()
	l.replaceDead()
}

func (l *simulation) anyManager() *manager { return l.managers[l.random.IntN(len(l.managers))] }

// replaceManager ends a manager gracefully while another takes over.
func (l *simulation) replaceManager() {
	before := l.anyManager()
	l.start()
	before.stopping, before.dead = true, true
	before.cancel()
}

// startSecondLeader makes two managers leaders for some time.
func (l *simulation) startSecondLeader() {
	if l.rates.twoLeaders && len(l.managers) == 1 {
		l.start()
	}
}

// freezeCache freezes a cache for some time, at the version whose watch events were sent last.
func (l *simulation) freezeCache() {
	m := l.anyManager()
	m.deliverEvents()
	m.frozenVersion = m.delivered
	m.frozenUntil = now().Add(l.randomDelay(2 * time.Minute))
}

// forgetSome makes the carrier lose its data. It does so rarely, because the operator needs a day
// to be sure of the loss.
func (l *simulation) forgetSome() {
	if l.chance(50) {
		l.world.Carrier.Forget()
	}
}
