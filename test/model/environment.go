// SPDX-License-Identifier: Apache-2.0

package model

import "iter"

// sharedSteps are writes that any process may make with the ledger as it is: the polls and the
// rules of the class. It makes no difference which process makes them.
func (m *model) sharedSteps(s *state, emit emitter) {
	if !m.someoneUnaware(s) {
		return
	}
	for p := range s.places() {
		m.applyRules(s, p, emit)
		if s.ledger.at(p).phase == inProgress {
			m.poll(s, p, emit)
			m.loseHandle(s, p, emit)
		}
	}
}

// places iterates over the entries of all attempts that have begun.
func (s *state) places() iter.Seq[place] {
	return func(yield func(place) bool) {
		for i := range s.begun * 2 {
			if !yield(place{i / 2, i % 2}) {
				return
			}
		}
	}
}

func (m *model) applyRules(s *state, p place, emit emitter) {
	m.apply(s, p, ruleProof, label{action: actRule, attempt: p.attempt, entry: p.entry, fact: ruleProof}, emit)
	if s.ledger.at(p).phase != inProgress {
		m.apply(s, p, ruleUnknown, label{action: actRule, attempt: p.attempt, entry: p.entry, fact: ruleUnknown}, emit)
	}
}

// loseHandle loses the handle of a request: the carrier has not had it for 24 h.
func (m *model) loseHandle(s *state, p place, emit emitter) {
	if s.left.losses == 0 {
		return
	}
	next := *s
	next.left.losses--
	m.apply(&next, p, ruleUnknown, label{action: actHandleLost, attempt: p.attempt, entry: p.entry}, emit)
}

// apply writes one fact, if the table lists it.
func (m *model) apply(s *state, p place, f fact, l label, emit emitter) {
	next := *s
	changed := s.ledger
	if m.change(&next, &changed, p, f) {
		m.commit(&next, changed)
		emit(l, &next)
	}
}

// endings are the outcomes of a request.
var endings = []struct {
	request request
	fact    fact
}{{requestCompleted, pollSucceeded}, {requestFailed, pollFailed}}

// poll reads the outcome of a request in progress: the carrier ends it now, or has ended it before.
// If the entry has another request's number, the poll reads the outcome of that request, whatever
// it is.
func (m *model) poll(s *state, p place, emit emitter) {
	for _, ending := range endings {
		next := *s
		about := &next.intents[p.attempt]
		l := label{action: actPoll, attempt: p.attempt, entry: p.entry, fact: ending.fact}
		if s.ledger.at(p).handle == otherHandle {
			next.noteSuccess(p.attempt, ending.fact)
			m.apply(&next, p, ending.fact, l, emit)
			continue
		}
		if about.request == requestPending {
			next.finish(p.attempt, ending.request)
		}
		if about.request == ending.request {
			m.apply(&next, p, ending.fact, l, emit)
		}
	}
}

func (s *state) finish(attempt uint8, as request) {
	s.intents[attempt].request = as
	if as == requestCompleted {
		s.plan, s.shown = s.intents[attempt].value, 0
	}
}

// carrierSteps ends plan changes, whether or not they are polled; health then shows the plan.
func (m *model) carrierSteps(s *state, emit emitter) {
	if m.bounds.class != classCharge {
		return
	}
	for i := range s.begun {
		if s.intents[i].request != requestPending {
			continue
		}
		for _, as := range []request{requestCompleted, requestFailed} {
			next := *s
			next.finish(i, as)
			emit(label{action: actCarrierEnds, attempt: i, request: as}, &next)
		}
	}
}

// timeSteps lets time pass for an attempt whose phase is Submitting: 10 s, then 120 s.
func (m *model) timeSteps(s *state, emit emitter) {
	if s.left.pauses == 0 {
		return
	}
	for i := range s.begun {
		if s.ledger.attempts[i][mainEntry].phase == submitting && !s.intents[i].expired {
			m.pause(s, i, emit)
		}
	}
}

func (m *model) pause(s *state, attempt uint8, emit emitter) {
	long := *s
	long.left.pauses--
	long.intents[attempt].expired = true
	at, found := s.inGate(attempt)
	if !found {
		emit(label{action: actLongPause, attempt: attempt}, &long)
		return
	}
	if s.left.stops > 0 {
		unseen := long
		unseen.left.stops--
		unseen.managers[at].stopped = true
		emit(label{action: actUnseenPause, attempt: attempt, manager: at}, &unseen)
	}
	long.managers[at].slow = true
	emit(label{action: actLongPause, attempt: attempt}, &long)
	if !s.managers[at].slow {
		short := *s
		short.left.pauses--
		short.managers[at].slow = true
		emit(label{action: actPause, attempt: attempt}, &short)
	}
}

// inGate returns the manager with an attempt between its intent and the last check of the clock.
func (s *state) inGate(attempt uint8) (uint8, bool) {
	for i := range s.managers {
		if g := &s.managers[i]; g.attempt == attempt && g.at.isBetween(gateAccount, gateAge) {
			return uint8(i), true
		}
	}
	return 0, false
}

// isBetween reports whether a manager works on an attempt at one of these points.
func (s *state) isBetween(attempt uint8, from, to point) bool {
	for i := range s.managers {
		if g := &s.managers[i]; g.attempt == attempt && g.at.isBetween(from, to) {
			return true
		}
	}
	return false
}
