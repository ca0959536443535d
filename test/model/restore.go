// SPDX-License-Identifier: Apache-2.0

package model

// restore puts back an older ledger, or none. Its revision falls, and its resourceVersion is new
// (R5).
func (m *model) restore(s *state, emit emitter) {
	if s.left.restores == 0 {
		return
	}
	if !s.backedUp {
		next := *s
		next.backup, next.backedUp = m.keep(s.ledger), true
		emit(label{action: actBackUp}, &next)
		return
	}
	if m.versions[s.backup] == s.ledger {
		return
	}
	next := *s
	next.replace(m.versions[s.backup])
	next.backup, next.backedUp = 0, false
	next.left.restores--
	for i := range next.intents {
		if next.ledger.attempts[i] != s.ledger.attempts[i] {
			next.intents[i].restoredAway = true
		}
	}
	emit(label{action: actRestore}, &next)
}

// project writes an object's status from its ledger, with the resourceVersion of the object.
func (m *model) project(s *state, number uint8, emit emitter) {
	g := &s.managers[number]
	if !m.remembers() || !g.current || m.seesLoss(s, number) {
		return
	}
	for i := range uint8(objects) {
		if g.objects[i] != s.objects[i] || !s.isBehind(i) {
			continue
		}
		next := *s
		next.objects[i].shows(&s.ledger)
		emit(label{action: actProject, manager: number, object: i}, &next)
	}
}

// isBehind reports whether the status of an object shows an older ledger.
func (s *state) isBehind(number uint8) bool {
	o := &s.objects[number]
	return o.exists && o.revision < s.ledger.revision
}

func (o *object) shows(l *ledger) {
	o.revision, o.newest = l.revision, l.shows()
}

// shows returns the newest recorded attempt, from 1; 0: none.
func (l *ledger) shows() uint8 {
	newest, found := l.newest()
	if !found {
		return 0
	}
	return newest + 1
}

// lacks reports that the ledger does not have an attempt that was seen in it.
func (m *model) lacks(l *ledger, newest uint8) bool {
	return m.rules.has(byAttempt) && newest > 0 && l.attempts[newest-1] == attempt{}
}

// seesLoss reports a loss: a status claims more than the ledger has (R5), or this process has seen
// more (R6).
func (m *model) seesLoss(s *state, number uint8) bool {
	g := &s.managers[number]
	if m.rules.has(r6) && m.hasSeenMore(g, &s.ledger) {
		return true
	}
	for i := range g.objects {
		if m.rules.has(r5) && m.claimsMore(&g.objects[i], &s.ledger) {
			return true
		}
	}
	return false
}

func (m *model) hasSeenMore(g *manager, l *ledger) bool {
	return g.highest > l.revision || m.lacks(l, g.newest)
}

func (m *model) claimsMore(o *object, l *ledger) bool {
	return o.exists && (o.revision > l.revision || m.lacks(l, o.newest))
}

// contradicts reports that the live status claims more than the ledger that the intent was judged
// on: at least the revision of the intent itself, or an attempt that the intent's ledger lacks.
func (m *model) contradicts(s *state, g *manager) bool {
	o := &s.objects[s.intents[g.attempt].wanted.name.object]
	return m.comparesClaims(g) && (o.revision >= s.ledger.revision || m.lacks(&s.ledger, o.newest))
}

func (m *model) comparesClaims(g *manager) bool {
	return m.remembers() && m.rules.has(claimsAtGate) && g.unchanged
}

// rememberAtGate is what a gate that stays open remembers and, with statusFirst, writes.
func (m *model) rememberAtGate(s *state, number uint8) {
	g := &s.managers[number]
	switch {
	case !m.remembers():
	case g.at == gateLedger:
		g.remember(m, &s.ledger)
	case g.at == gateObject && m.rules.has(statusFirst) && g.unchanged:
		s.objects[s.intents[g.attempt].wanted.name.object].shows(&s.ledger)
	}
}

// recordLoss writes the open entry of LedgerLost, with a revision above all that was claimed.
func (m *model) recordLoss(s *state, number uint8, emit emitter) {
	if s.ledger.lost || !m.seesLoss(s, number) {
		return
	}
	next := *s
	next.writeLedgerLost(m, number)
	emit(label{action: actNoticeLoss, manager: number}, &next)
}

func (s *state) writeLedgerLost(m *model, number uint8) {
	g := &s.managers[number]
	changed := s.ledger
	changed.lost = true
	changed.revision = max(changed.revision, g.highest)
	for i := range g.objects {
		changed.revision = max(changed.revision, g.objects[i].revision, s.objects[i].revision)
	}
	m.commit(s, changed)
	g.remember(m, &s.ledger)
}

// someoneUnaware reports whether some manager would continue without noticing a loss.
func (m *model) someoneUnaware(s *state) bool {
	for i := range uint8(managers) {
		if !m.seesLoss(s, i) {
			return true
		}
	}
	return false
}
