// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// fact is what a writer records about an attempt; its name begins with the writer.
type fact uint8

const (
	noFact             fact = iota
	senderUnsent            // the gate was closed, nothing was written, or never posted by this process
	senderNotProcessed      // 401, 429
	senderRejected
	senderAccepted
	senderAmbiguous
	pollSucceeded // 200
	pollFailed    // 422
	ruleProof     // a reading proves it
	ruleUnknown   // no reading proves it
	personSucceeded
	personNotAccepted
	personAbandoned
	personAccepted      // with the attempt's own request id
	personAcceptedOther // with the request id of another request
)

// need is what must hold besides the phase.
type need uint8

const (
	nothing       need = iota
	uncertain          // error set, or another process as sender and 120 s
	aProof             // the reading equals the target
	provenDoubt        // both of the above
	ownNumber          // the recorded handle is none or the attempt's own
	anotherNumber      // the recorded handle is one that a person named
	newestAlone        // its lane's newest, and the lane is empty
)

// row is a row of the table of R14.
type row struct {
	from    phase
	endedBy source // anybody: any source
	fact    fact
	needs   need
	to      phase
	rule    rule // the row holds while this rule is in force; 0: always
	without rule // the row holds while this rule is left out; 0: always
}

// table is the table of R14. What it does not list is refused.
var table = slices.Concat(
	[]row{
		{from: submitting, fact: senderUnsent, to: notSent},
		{from: submitting, fact: senderNotProcessed, to: notProcessed},
		{from: submitting, fact: senderRejected, to: rejected},
		{from: submitting, fact: senderAccepted, to: inProgress},
		{from: submitting, fact: senderAmbiguous, to: submitting},
		{from: submitting, fact: ruleProof, needs: provenDoubt, to: succeeded},
		{from: submitting, fact: ruleUnknown, needs: uncertain, to: outcomeUnknown},

		{from: inProgress, fact: pollSucceeded, to: succeeded},
		{from: inProgress, fact: pollFailed, to: failed},
		{from: inProgress, fact: ruleUnknown, to: outcomeUnknown}, // lostSince + 24 h
		{from: inProgress, fact: senderAccepted, needs: ownNumber, to: inProgress},
		{from: inProgress, fact: senderAccepted, needs: anotherNumber, to: lateAcceptance, rule: r15},

		{from: outcomeUnknown, fact: senderAccepted, to: inProgress},
		{from: outcomeUnknown, fact: senderUnsent, to: notSent},
		{from: outcomeUnknown, fact: senderNotProcessed, to: notProcessed},
		{from: outcomeUnknown, fact: senderRejected, to: rejected},
		{from: outcomeUnknown, fact: ruleProof, needs: aProof, to: succeeded},

		{from: succeeded, endedBy: byProof, fact: senderAccepted, to: succeeded},
		{from: succeeded, endedBy: byPerson, fact: senderAccepted, to: succeeded},

		{from: notAccepted, fact: senderAccepted, to: lateAcceptance, rule: r15},
		{from: abandoned, fact: senderAccepted, to: lateAcceptance, rule: r15},
		{from: gone, fact: senderAccepted, to: lateAcceptance, rule: r15},

		{from: lateAcceptance, fact: personSucceeded, to: succeeded},
		{from: lateAcceptance, fact: personAbandoned, to: abandoned},
		{from: lateAcceptance, fact: personAccepted, to: inProgress},

		// Refused for all writers. "It cannot be": see the property cannotBe.
		{from: succeeded, endedBy: byCarrier, fact: senderAccepted, to: lateAcceptance},
		{from: failed, fact: senderAccepted, to: lateAcceptance},
		{from: rejected, fact: senderAccepted, to: lateAcceptance},
		{from: notSent, fact: senderAccepted, to: lateAcceptance},
		{from: notProcessed, fact: senderAccepted, to: lateAcceptance},
	},
	personRows(submitting, anybody, uncertain),
	personRows(inProgress, anybody, nothing), // Overdue is possible at any time
	personRows(outcomeUnknown, anybody, nothing),
	personRows(succeeded, byPerson, newestAlone),
	personRows(notAccepted, byPerson, newestAlone),
	personRows(abandoned, byPerson, newestAlone),
)

// personRows returns the rows of a person who names the attempt.
func personRows(from phase, endedBy source, needs need) []row {
	return []row{
		{from: from, endedBy: endedBy, fact: personSucceeded, needs: needs, to: succeeded},
		{from: from, endedBy: endedBy, fact: personNotAccepted, needs: needs, to: notAccepted},
		{from: from, endedBy: endedBy, fact: personAbandoned, needs: needs, to: abandoned},
		{from: from, endedBy: endedBy, fact: personAccepted, needs: needs, to: inProgress},
		{from: from, endedBy: endedBy, fact: personAcceptedOther, needs: needs, to: inProgress},
	}
}

// unguarded are the rows that R14 prevents: a sender's fact that overrides a person's.
var unguarded = []row{
	{from: notAccepted, endedBy: byPerson, fact: senderUnsent, to: notSent, without: r14},
	{from: abandoned, endedBy: byPerson, fact: senderUnsent, to: notSent, without: r14},
	{from: succeeded, endedBy: byPerson, fact: senderUnsent, to: notSent, without: r14},
	{from: abandoned, endedBy: byPerson, fact: senderRejected, to: rejected, without: r14},
	{from: abandoned, endedBy: byPerson, fact: senderNotProcessed, to: notProcessed, without: r14},
}

// change applies a fact to an entry of the ledger, if the table lists it (R14).
func (m *model) change(s *state, l *ledger, p place, f fact) bool {
	found, listed := m.listed(s, l, p, f)
	if !listed {
		return false
	}
	if found.to == lateAcceptance {
		l.attempts[p.attempt][lateEntry] = entry{phase: lateAcceptance, handle: ownHandle}
		return true
	}
	e := l.at(p)
	before := e.phase
	e.phase = m.polledPhase(found.to)
	e.unclear = f == senderAmbiguous
	e.handle = handleAfter(e.handle, f)
	if e.phase != before { // adding a handle is no newer information
		e.endedBy = endedBy(e.phase, f)
		m.note(s, l, p)
	}
	return true
}

// note applies the effects that an end has besides setting the phase.
func (m *model) note(s *state, l *ledger, p place) {
	e := l.at(p)
	if e.phase == succeeded {
		l.known = s.intents[p.attempt].value
	}
	if e.phase.hasEnded() {
		m.dropReadings(s)
	}
}

// polledPhase returns the phase to record for one in the table. An order is not polled, so it is
// Succeeded where the table says InProgress.
func (m *model) polledPhase(to phase) phase {
	if m.bounds.class == classOrder && to == inProgress {
		return succeeded
	}
	return to
}

func (m *model) listed(s *state, l *ledger, p place, f fact) (row, bool) {
	e := *l.at(p)
	if e.phase == notRecorded && p.entry == mainEntry {
		e.phase = gone
	}
	for _, r := range m.rows[e.phase][f] {
		if r.isAbout(e.endedBy) && needs[r.needs](m, s, l, p) {
			return r, true
		}
	}
	return row{}, false
}

func (r *row) isAbout(endedBy source) bool { return r.endedBy == anybody || r.endedBy == endedBy }

// needs are the conditions of each need.
var needs = [...]func(m *model, s *state, l *ledger, p place) bool{
	nothing:       func(*model, *state, *ledger, place) bool { return true },
	uncertain:     (*model).isUncertain,
	aProof:        func(m *model, s *state, _ *ledger, p place) bool { return m.proves(s, p) },
	provenDoubt:   func(m *model, s *state, l *ledger, p place) bool { return m.isUncertain(s, l, p) && m.proves(s, p) },
	ownNumber:     func(_ *model, _ *state, l *ledger, p place) bool { return l.at(p).handle != otherHandle },
	anotherNumber: func(_ *model, _ *state, l *ledger, p place) bool { return l.at(p).handle == otherHandle },
	newestAlone:   func(_ *model, _ *state, l *ledger, p place) bool { return l.shows() == p.attempt+1 && l.isEmpty() },
}

// isUncertain reports whether the response to an attempt was ambiguous, or whether 120 s have
// passed and its sender has ended or is another process.
func (m *model) isUncertain(s *state, l *ledger, p place) bool {
	about := s.intents[p.attempt]
	return l.at(p).unclear || about.expired && (about.sender == 0 || !m.bounds.oneProcess)
}

func (m *model) proves(s *state, p place) bool {
	return m.bounds.class == classCharge && s.plan == s.intents[p.attempt].value
}

// named is the request id that a fact brings with it.
var named = [personAcceptedOther + 1]handle{
	senderAccepted: ownHandle, personAccepted: ownHandle, personAcceptedOther: otherHandle,
}

func handleAfter(before handle, f fact) handle {
	if named[f] == noHandle {
		return before
	}
	return named[f]
}

func endedBy(to phase, f fact) source {
	switch {
	case !to.hasEnded():
		return anybody
	case f == senderUnsent:
		return bySender
	case f == ruleProof:
		return byProof
	case f >= personSucceeded:
		return byPerson
	}
	return byCarrier
}

// phasesByName are the phases by their names in the API.
//
//nolint:exhaustive // the model has no Repeated: nothing is repeated in it
var phasesByName = map[v1alpha1.RequestPhase]phase{
	v1alpha1.PhaseSubmitting: submitting, v1alpha1.PhaseInProgress: inProgress,
	v1alpha1.PhaseOutcomeUnknown: outcomeUnknown, v1alpha1.PhaseSucceeded: succeeded, v1alpha1.PhaseFailed: failed,
	v1alpha1.PhaseRejected: rejected, v1alpha1.PhaseNotSent: notSent, v1alpha1.PhaseNotProcessed: notProcessed,
	v1alpha1.PhaseNotAccepted: notAccepted, v1alpha1.PhaseAbandoned: abandoned,
	v1alpha1.PhaseLateAcceptance: lateAcceptance,
}

// Allows reports whether the table of R14, in the form that the model has, allows any writer to
// take an attempt from one phase to another. An order is not polled: where the table says
// InProgress, the order succeeds.
func Allows(from, to v1alpha1.RequestPhase) bool {
	was, known := phasesByName[from]
	is, also := phasesByName[to]
	return known && also && slices.ContainsFunc(table, func(r row) bool {
		return r.from == was && (r.to == is || r.to == inProgress && is == succeeded)
	})
}
