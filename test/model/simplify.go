// SPDX-License-Identifier: Apache-2.0

package model

// simplify makes states equal that differ in nothing that a later step or a property asks for. It
// says whether the managers have changed places.
func (m *model) simplify(s *state) bool {
	for i := range s.managers {
		m.passWhatCannotChange(s, uint8(i))
	}
	if m.remembers() {
		return m.order(s) // an attempt may be put back to Submitting
	}
	for i := range s.intents {
		if s.ledger.attempts[i][mainEntry].phase != submitting {
			about := &s.intents[i]
			about.sender, about.passed, about.old = 0, false, false
		}
	}
	return m.order(s)
}

// passWhatCannotChange: a live GET of what nobody edits any more is no step of its own.
func (m *model) passWhatCannotChange(s *state, number uint8) {
	g := &s.managers[number]
	if g.at == gateAccount && s.left.closings == 0 && gateAsks[g.at].as(m, s, g) {
		g.at = gateObject
		g.drop()
	}
	if g.at == gateObject && !m.mayChange(s) && gateAsks[g.at].as(m, s, g) {
		g.at = gateLedger
	}
}

// mayChange says whether an object, its status included, may still change.
func (m *model) mayChange(s *state) bool { return s.left.edits > 0 || m.remembers() }

// order puts the managers in an order: they are the same program, and it does not matter which is
// which.
func (m *model) order(s *state) bool {
	if s.managers[0].key() <= s.managers[1].key() {
		return false
	}
	s.managers[0], s.managers[1] = s.managers[1], s.managers[0]
	if m.bounds.oneProcess {
		return true
	}
	for i := range s.intents {
		if sender := &s.intents[i].sender; *sender != 0 {
			*sender = 3 - *sender
		}
	}
	return true
}

// key orders managers. Where two that differ have one key nothing is wrong: both orders are tried.
func (g *manager) key() uint64 {
	k := uint64(g.at)<<3 | uint64(g.attempt)
	k = k<<4 | uint64(g.answer)
	for _, flag := range []bool{g.slow, g.stopped, g.unchanged, g.current, g.account.closed} {
		k <<= 1
		if flag {
			k |= 1
		}
	}
	k = k<<2 | uint64(g.reading)
	for i := range g.objects {
		o := &g.objects[i]
		k = k<<8 | uint64(o.uid)<<6 | uint64(o.generation)<<4 | uint64(o.want)<<2 | uint64(o.revision)
	}
	return k<<8 | uint64(g.highest)
}
