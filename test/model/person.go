// SPDX-License-Identifier: Apache-2.0

package model

// personFacts are the possible resolutions of an attempt.
var personFacts = []fact{personSucceeded, personNotAccepted, personAbandoned, personAccepted, personAcceptedOther}

// personSteps are what people do: their resolutions may be right, wrong or early.
func (m *model) personSteps(s *state, emit emitter) {
	m.resolve(s, emit)
	m.resolveLoss(s, emit)
	m.edit(s, emit)
	m.closeAccount(s, emit)
	m.restore(s, emit)
}

func (m *model) resolve(s *state, emit emitter) {
	if s.left.resolutions == 0 || !m.someoneUnaware(s) {
		return
	}
	for p := range s.places() {
		for _, resolution := range personFacts {
			m.recordResolution(s, p, resolution, emit)
		}
	}
}

// recordResolution records one resolution, if the table lists it.
func (m *model) recordResolution(s *state, p place, resolution fact, emit emitter) {
	unknownID := resolution == personAccepted && s.intents[p.attempt].request == noRequest
	if unknownID || p.entry == lateEntry && s.isVoid(p, resolution) {
		return
	}
	next := *s
	changed := s.ledger
	if !m.change(&next, &changed, p, resolution) {
		return
	}
	next.left.resolutions--
	m.commit(&next, changed)
	next.notePermit(p.attempt, resolution)
	emit(label{action: actResolution, attempt: p.attempt, entry: p.entry, fact: resolution}, &next)
}

// isVoid reports whether a resolution has no effect: NotAccepted on a late acceptance (R15). Once a
// late acceptance is settled, all resolutions are void.
func (s *state) isVoid(p place, resolution fact) bool {
	return resolution == personNotAccepted || s.ledger.at(p).phase.hasEnded()
}

// notePermit notes which further POST a resolution permits. Only a false or an early resolution
// permits one: the carrier had accepted the attempt, or its sender had already made its last read
// (R12).
//
//   - NotAccepted permits one more POST.
//   - Abandoned, and the number of another request, permit one for another declaration.
//   - Succeeded for a request that the carrier does not have makes the known value of the ledger
//     wrong, so another value that was bought before may be bought again.
func (s *state) notePermit(attempt uint8, resolution fact) {
	about := &s.intents[attempt]
	if about.request != noRequest || s.isPastTheGate(attempt) {
		about.permit = max(about.permit, permitOf[resolution])
	}
	s.noteSuccess(attempt, resolution)
}

// noteSuccess notes a success of a request that the carrier does not have.
func (s *state) noteSuccess(attempt uint8, f fact) {
	if (f == personSucceeded || f == pollSucceeded) && s.intents[attempt].request == noRequest {
		s.permitAll(s.intents[attempt].value)
	}
}

var permitOf = [personAcceptedOther + 1]permit{
	personNotAccepted: permitSame, personAbandoned: permitNext, personAcceptedOther: permitNext,
}

// permitAll permits every other value to be bought again: the ledger's known value is now one that
// was never requested from the carrier, and has replaced the true one.
func (s *state) permitAll(claimed uint8) {
	for i := range s.intents {
		about := &s.intents[i]
		switch {
		case about.request == noRequest:
		case about.value != claimed:
			about.permit = permitSame
		default:
			about.permit = max(about.permit, permitNext)
		}
	}
}

// revokePermit revokes the permit of a resolution. A late acceptance that is recorded before
// anything else was sent blocks the lane, so the resolution that it contradicts no longer permits
// anything.
func (s *state) revokePermit(attempt uint8) {
	for i := attempt + 1; i < s.begun; i++ {
		if s.intents[i].rank > 0 || s.isBetween(i, gateAge, dialing) {
			return
		}
	}
	s.intents[attempt].permit = noPermit
}

// isPastTheGate reports whether an attempt is past the gate: R12 leaves a pause before the first
// byte, and R13 closes it as far as the sender's clock runs.
func (s *state) isPastTheGate(attempt uint8) bool {
	at, found := s.inGate(attempt)
	return s.isBetween(attempt, dialing, dialing) ||
		found && s.managers[at].at == gateAge && s.managers[at].stopped
}

// resolveLoss resolves LedgerLost as Succeeded (it is as declared) or NotAccepted (nothing was
// sent).
func (m *model) resolveLoss(s *state, emit emitter) {
	if !s.ledger.lost || s.left.resolutions == 0 {
		return
	}
	changed := s.ledger
	changed.lost = false
	next := *s
	next.left.resolutions--
	m.commit(&next, changed)
	for i := range s.begun {
		next.notePermit(i, personNotAccepted)
	}
	emit(label{action: actLossResolution, fact: personNotAccepted}, &next)

	changed.known = s.objects[s.ledger.holder.object].want
	next = *s
	next.left.resolutions--
	m.commit(&next, changed)
	next.permitAll(changed.known)
	emit(label{action: actLossResolution, fact: personSucceeded}, &next)
}

// edit deletes, creates and changes objects.
func (m *model) edit(s *state, emit emitter) {
	if s.left.edits == 0 {
		return
	}
	for i := range uint8(objects) {
		m.remove(s, i, emit)
		for _, want := range m.values() {
			m.declare(s, i, want, emit)
		}
	}
}

// values returns the values that can be declared. For an order there is only one.
func (m *model) values() []uint8 {
	if m.bounds.class == classOrder {
		return []uint8{1}
	}
	return []uint8{1, 2}
}

func (m *model) remove(s *state, number uint8, emit emitter) {
	if !s.objects[number].exists {
		return
	}
	next := *s
	next.left.edits--
	next.objects[number] = object{uid: s.objects[number].uid}
	emit(label{action: actDelete, object: number}, &next)
}

func (m *model) declare(s *state, number, want uint8, emit emitter) {
	next := *s
	next.left.edits--
	o := &next.objects[number]
	l := label{action: actEdit, object: number, value: want}
	if !o.exists {
		*o = object{exists: true, uid: o.uid + 1}
		l.action = actCreate
	}
	o.generation++
	o.want = want
	emit(l, &next)
}

// closeAccount removes the service from the account's list, the brake that R12 requires, or lists
// it again.
func (m *model) closeAccount(s *state, emit emitter) {
	if s.left.closings == 0 {
		return
	}
	next := *s
	next.left.closings--
	next.account.generation++
	next.account.closed = !s.account.closed
	l := label{action: actReopen}
	if next.account.closed {
		l.action = actClose
	}
	emit(l, &next)
}
