// SPDX-License-Identifier: Apache-2.0

package model

// coverPoint is something that must occur in the states of a check. A check without it would prove
// nothing.
type coverPoint struct {
	name  string
	holds func(s *state) bool
}

var coverPoints = [...]coverPoint{
	{"a change has Succeeded", func(s *state) bool { return s.has(mainEntry, succeeded) }},
	{"a change was NotSent, sent again and accepted", func(s *state) bool {
		return s.ledger.attempts[0][mainEntry].phase == notSent && s.intents[1].request != noRequest &&
			s.intents[0].wanted == s.intents[1].wanted
	}},
	{"two attempts were accepted, with a permit", func(s *state) bool {
		return s.accepted == 2 && s.intents[0].wanted == s.intents[1].wanted
	}},
	{"a late acceptance blocks its lane", func(s *state) bool { return s.has(lateEntry, lateAcceptance) }},
	{"a late acceptance was settled", func(s *state) bool {
		return s.has(lateEntry, succeeded) || s.has(lateEntry, abandoned)
	}},
	{"an accepted attempt is OutcomeUnknown", func(s *state) bool {
		return s.ledger.attempts[0][mainEntry].phase == outcomeUnknown && s.intents[0].request != noRequest
	}},
	{"the second object has taken over", func(s *state) bool {
		return s.ledger.holder.object == 1 && s.objects[0].uid > 0
	}},
	{"LedgerLost blocks", func(s *state) bool { return s.ledger.lost }},
}

func (s *state) has(e int, p phase) bool {
	for i := range s.ledger.attempts {
		if s.ledger.attempts[i][e].phase == p {
			return true
		}
	}
	return false
}
