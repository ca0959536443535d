// SPDX-License-Identifier: Apache-2.0

package model

// simplify makes states equal if they differ only in what no later step or property needs. It
// reports whether the managers were swapped.
func (m *model) simplify(s *state) bool {
	for i := range s.managers {
		m.skipUnchangeable(s, uint8(i))
	}
	if m.remembers() {
		return m.sortManagers(s) // an attempt may be put back to Submitting
	}
	for i := range s.intents {
		if s.ledger.attempts[i][mainEntry].phase != submitting {
			about := &s.intents[i]
			about.sender, about.passed, about.expired = 0, false, false
		}
	}
	return m.sortManagers(s)
}

// skipUnchangeable skips a live GET of what can no longer be edited, because it is no step of its
// own.
func (m *model) skipUnchangeable(s *state, number uint8) {
	g := &s.managers[number]
	if g.at == gateAccount && s.left.closings == 0 && gateReads[g.at].as(m, s, g) {
		g.at = gateObject
		g.drop()
	}
	if g.at == gateObject && !m.mayChange(s) && gateReads[g.at].as(m, s, g) {
		g.at = gateLedger
	}
}

// mayChange reports whether an object, including its status, may still change.
func (m *model) mayChange(s *state) bool { return s.left.edits > 0 || m.remembers() }

// sortManagers sorts the managers. They are the same program, so it does not matter which is which.
func (m *model) sortManagers(s *state) bool {
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

// key orders managers. If two different ones have the same key, both orders are tried, which is
// harmless.
func (g *manager) key() uint64 {
	k := uint64(g.at)<<3 | uint64(g.attempt)
	k = k<<4 | uint64(g.response)
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
