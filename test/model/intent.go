// SPDX-License-Identifier: Apache-2.0

package model

// openAttempt judges the caches for each object and writes an intent: a ledger with one more
// attempt.
func (m *model) openAttempt(s *state, number uint8, emit emitter) {
	for i := range uint8(objects) {
		if !m.mayOpen(s, number, i) {
			continue
		}
		next := *s
		attempt := m.writeIntent(&next, number, i)
		if !m.rules.has(r1) && next.ledger.revision < s.ledger.revision {
			continue // the CEL rule of the kind: a revision must not decrease
		}
		l := label{action: actIntent, manager: number, object: i, attempt: attempt, value: next.intents[attempt].value}
		if s.left.lostWrites > 0 {
			unheard := next
			unheard.left.lostWrites--
			unheard.managers[number].endPass()
			emit(label{action: actIntentLost, manager: number, object: i, attempt: attempt, value: l.value}, &unheard)
		}
		emit(l, &next)
	}
}

func (m *model) writeIntent(s *state, number, object uint8) uint8 {
	g := &s.managers[number]
	attempt := s.begun
	s.begun++
	s.intents[attempt] = intent{
		wanted: g.objects[object].declares(object), value: g.objects[object].want, sender: m.process(number),
	}
	changed := *m.view(s, number)
	s.intents[attempt].afterAbandoned = m.isAbandoned(s, &changed, attempt)
	changed.holder = name{object, g.objects[object].uid}
	changed.attempts[attempt][mainEntry] = entry{phase: submitting}
	m.commit(s, changed)
	g.at, g.attempt, g.judged, g.unchanged = gateAccount, attempt, g.account.generation, true
	g.remember(m, &s.ledger)
	return attempt
}

// isAbandoned reports whether another attempt for the same declaration was abandoned; for an order,
// whether any other attempt was.
func (m *model) isAbandoned(s *state, l *ledger, attempt uint8) bool {
	for i := range l.attempts {
		same := s.intents[i].wanted == s.intents[attempt].wanted || m.bounds.class == classOrder
		if same && l.attempts[i].isAbandoned() {
			return true
		}
	}
	return false
}

// view returns the ledger that a manager judges. While R1 is in force, that is the present ledger,
// because a write that is based on an old one is refused.
func (m *model) view(s *state, number uint8) *ledger {
	if m.rules.has(r1) {
		return &s.ledger
	}
	return &m.versions[s.managers[number].seen]
}

// mayOpen returns the decision of a pass about what the manager has cached.
func (m *model) mayOpen(s *state, number, object uint8) bool {
	g := &s.managers[number]
	if !m.mayWrite(g) || s.begun == m.bounds.attempts || m.seesLoss(s, number) {
		return false
	}
	l := m.view(s, number)
	o := &g.objects[object]
	return o.exists && !g.account.closed && m.isFree(l) &&
		m.mayHold(s, number, name{object, o.uid}) && m.isWanted(s, number, object)
}

// mayWrite reports whether an update would be accepted. An update of an old ledger is refused (R1).
func (m *model) mayWrite(g *manager) bool { return g.current || !m.rules.has(r1) }

func (m *model) isFree(l *ledger) bool {
	if m.rules.has(r3) {
		return !l.lost && l.isEmpty()
	}
	newest, found := l.newest()
	return !found || !l.attempts[newest][mainEntry].phase.isOpen()
}

// mayHold implements R2: the holder may open attempts, and so may any object once a live GET shows
// that the holder is gone. UIDs do not come back, so the GET and the write of the intent may be one
// step.
func (m *model) mayHold(s *state, number uint8, asking name) bool {
	holder := m.view(s, number).holder
	if holder == asking || holder.uid == 0 {
		return true
	}
	o := &s.objects[holder.object]
	if !m.rules.has(r2) {
		o = &s.managers[number].objects[holder.object]
	}
	return !o.exists || o.uid != holder.uid
}

// isWanted compares the values. After a definitive failure or Abandoned, nothing is wanted until
// another declaration.
func (m *model) isWanted(s *state, number, object uint8) bool {
	g := &s.managers[number]
	l := m.view(s, number)
	o := &g.objects[object]
	if m.bounds.class == classCharge {
		if g.reading == 0 || g.reading == o.want+1 {
			return false // R7: the ledger's known value may prevent a POST, and never justifies one
		}
	}
	if l.known == o.want {
		return false
	}
	return !m.isHeldBack(s, l, o.declares(object))
}

// isHeldBack checks what has ended for this declaration, including settled late acceptances.
func (m *model) isHeldBack(s *state, l *ledger, wanted declaration) bool {
	for i := range l.attempts {
		same := s.intents[i].wanted == wanted
		if m.rules.has(lateCounts) && m.holdsBack(l.attempts[i][lateEntry].phase, same) {
			return true
		}
		if m.counts(l, i) && m.holdsBack(l.attempts[i][mainEntry].phase, same) {
			return true
		}
	}
	return false
}

// counts reports whether an attempt is considered. With the rule outcomesHold every attempt is, and
// otherwise only the newest.
func (m *model) counts(l *ledger, attempt int) bool {
	return m.rules.has(outcomesHold) || int(l.shows()) == attempt+1
}

// holdsBack reports whether an outcome prevents another attempt. A definitive failure and Abandoned
// prevent one for their declaration; an order is also held back by everything that R3 does not
// list.
func (m *model) holdsBack(outcome phase, same bool) bool {
	switch outcome {
	case failed, rejected, abandoned:
		return same || m.bounds.class == classOrder && outcome != rejected
	case succeeded:
		return m.bounds.class == classOrder
	case notRecorded, submitting, inProgress, outcomeUnknown, notSent, notProcessed, notAccepted, lateAcceptance, gone:
	}
	return false
}

// takeOver writes another holder with a projection, if there is nothing to send (R2, R25).
func (m *model) takeOver(s *state, number uint8, emit emitter) {
	g := &s.managers[number]
	for i := range uint8(objects) {
		mine := name{i, g.objects[i].uid}
		if s.ledger.holder == mine || !g.objects[i].exists || !m.mayTakeOver(s, number, mine) {
			continue
		}
		next := *s
		changed := s.ledger
		changed.holder = mine
		m.commit(&next, changed)
		next.managers[number].remember(m, &next.ledger)
		emit(label{action: actTakeOver, manager: number, object: i}, &next)
	}
}

func (m *model) mayTakeOver(s *state, number uint8, mine name) bool {
	return s.managers[number].current && s.ledger.revision > 0 && !m.seesLoss(s, number) && m.mayHold(s, number, mine)
}

// findOwn is a pass that finds an attempt in Submitting whose sender is the process itself,
// although the process does not remember having posted it.
func (m *model) findOwn(s *state, number uint8, emit emitter) {
	newest, found := s.ledger.newest()
	if !found || !s.managers[number].current || !m.isUnposted(s, m.process(number), newest) {
		return
	}
	next := *s
	g := &next.managers[number]
	g.at, g.attempt, g.unchanged = foundOwn, newest, true
	emit(label{action: actFindOwn, manager: number, attempt: newest}, &next)
}

func (m *model) isUnposted(s *state, process, attempt uint8) bool {
	about := &s.intents[attempt]
	if m.rules.has(ownWorkers) && s.isBetween(attempt, gateAccount, hasResponse) {
		return false
	}
	return s.ledger.attempts[attempt][mainEntry].phase == submitting && about.sender == process && !about.passed
}

// writeNotSent writes the outcome of an attempt that findOwn has found, with the resourceVersion
// that was judged.
func (m *model) writeNotSent(s *state, number uint8, emit emitter) {
	next := *s
	g := &next.managers[number]
	l := label{action: actWriteNotSent, manager: number, attempt: g.attempt, outcome: refused}
	changed := s.ledger
	if g.unchanged && m.change(&next, &changed, place{g.attempt, mainEntry}, senderUnsent) {
		m.commit(&next, changed)
		l.outcome = done
	}
	g.endPass()
	emit(l, &next)
}
