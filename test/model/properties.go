// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// property is a promise that every step must keep.
type property struct {
	name string
	// broken reports whether the step from one state to the other breaks it.
	broken func(m *model, before, after *state, l label) bool
}

// properties are the promises, each with the rule that makes it.
var properties = []property{
	neverSentTwice, eachAttemptPostedOnce, nothingAcceptedIsLost, nothingWithdrawnIsSent,
	aPersonsWordStands, abandonedIsNotSentAgain, nothingShownIsBought,
	oneOpenAttempt, whatEndedStaysEnded, revisionNeverFalls, cannotBe,
}

var neverSentTwice = property{
	"never sent twice: one accepted POST for a declaration and for a value, but for a false or early word",
	func(m *model, before, after *state, _ label) bool {
		return before.accepted != after.accepted && m.sentTwice(after)
	},
}

var eachAttemptPostedOnce = property{
	"each attempt is posted at most once",
	func(_ *model, _, after *state, _ label) bool {
		for i := range after.intents {
			if after.intents[i].posts > 1 {
				return true
			}
		}
		return false
	},
}

var nothingAcceptedIsLost = property{
	"nothing that the carrier accepted is lost (R14, R15, R16)",
	func(m *model, _, after *state, _ label) bool {
		for i := range after.begun {
			if m.isLost(after, i) {
				return true
			}
		}
		return false
	},
}

var nothingWithdrawnIsSent = property{
	"nothing is sent after a gate at which the account was closed, or the object gone or edited (R12)",
	func(_ *model, before, after *state, l label) bool {
		return l.act == actPost && before.managers[l.manager].withdrawn &&
			after.intents[l.attempt].posts > before.intents[l.attempt].posts
	},
}

var aPersonsWordStands = property{
	"what a person ended is changed only by a person's newer word (R14)",
	func(_ *model, before, after *state, l label) bool {
		for i := range before.ledger.attempts {
			for e := range before.ledger.attempts[i] {
				was, is := before.ledger.attempts[i][e], after.ledger.attempts[i][e]
				if was.endedBy == byPerson && is.phase != was.phase && l.act != actWord && l.act != actRestore {
					return true
				}
			}
		}
		return false
	},
}

var abandonedIsNotSentAgain = property{
	"what a person called Abandoned is not sent again for the same declaration, an order never (R3)",
	func(_ *model, before, after *state, l label) bool {
		return l.act == actPost && before.intents[l.attempt].regardless &&
			after.intents[l.attempt].posts > before.intents[l.attempt].posts
	},
}

var nothingShownIsBought = property{
	"nothing is begun that a read would have shown to be there (R7)",
	func(m *model, before, after *state, _ label) bool {
		return m.bounds.class == classCharge && before.begun != after.begun &&
			before.shown == after.intents[before.begun].value+1
	},
}

var oneOpenAttempt = property{
	"at most one open attempt in a lane (R3)",
	func(_ *model, _, after *state, _ label) bool {
		open := 0
		for i := range after.ledger.attempts {
			if after.ledger.attempts[i][mainEntry].phase.isOpen() {
				open++
			}
		}
		return open > 1
	},
}

// whatEndedStaysEnded: R3, except for what R14 lists: a person's newer resolution "Accepted".
var whatEndedStaysEnded = property{
	"an attempt that has ended never opens again, but by a person's word (R3)",
	func(_ *model, before, after *state, l label) bool {
		for i := range before.ledger.attempts {
			was, is := before.ledger.attempts[i][mainEntry].phase, after.ledger.attempts[i][mainEntry].phase
			if was.hasEnded() && is.isOpen() && l.act != actWord && l.act != actRestore {
				return true
			}
		}
		return false
	},
}

var revisionNeverFalls = property{
	"the ledger's revision grows with every write (R5)",
	func(m *model, before, after *state, l label) bool {
		return m.revises() && before.ledger != after.ledger &&
			after.ledger.revision <= before.ledger.revision && l.act != actRestore
	},
}

// cannotBe is the last row of R14: Accepted for what its sender or the carrier had recorded as not
// sent, not processed or rejected. Failed and Succeeded can come from a number that a person had
// named.
var cannotBe = property{
	"no Accepted for an attempt that ended NotSent, NotProcessed or Rejected (R14: it cannot be)",
	func(_ *model, before, after *state, l label) bool {
		if l.act != actReceipt || l.fact != senderAccepted {
			return false
		}
		return before.ledger != after.ledger && before.ledger.attempts[l.attempt][mainEntry].isDenied() &&
			before.ledger.attempts[l.attempt][mainEntry].phase != notOnRecord
	},
}

// isLost reports that neither a running process nor the ledger knows of an accepted POST. If the
// sender has recorded its receipt, the ledger must have the number, or one that a person named in
// its place. If the response was lost, the attempt must be open, or ended by a writer that may know
// better.
func (m *model) isLost(s *state, attempt uint8) bool {
	about := &s.intents[attempt]
	if about.request == noRequest || about.forgotten || s.isBetween(attempt, answered, answered) {
		return false
	}
	on := &s.ledger.attempts[attempt]
	if on[lateEntry].phase != notOnRecord {
		return false
	}
	return about.delivered && on[mainEntry].handle == noHandle || !about.delivered && on[mainEntry].isDenied()
}

// isDenied reports that nothing recorded suggests that the attempt was accepted.
func (e *entry) isDenied() bool {
	return e.phase == notOnRecord || e.phase == rejected || e.phase.neverReached()
}

// sentTwice checks what the carrier has accepted, in its order.
func (m *model) sentTwice(s *state) bool {
	return m.sameDeclaration(s) || sameValue(s)
}

// sameDeclaration finds two accepted for one declaration (an order: for its reference), neither of
// which a person resolved as NotAccepted falsely or too early.
func (m *model) sameDeclaration(s *state) bool {
	for i := range s.begun {
		for j := range i {
			a, b := &s.intents[i], &s.intents[j]
			if a.wasBought() && b.wasBought() && (a.wanted == b.wanted || m.bounds.class == classOrder) {
				return true
			}
		}
	}
	return false
}

// wasBought: accepted, with nothing that excuses another one for the same declaration.
func (i *intent) wasBought() bool { return i.rank > 0 && i.license < forTheSame }

// stands: accepted, not failed, and with nothing that excuses another one for the same value.
func (i *intent) stands() bool {
	return i.rank > 0 && i.license == noLicense && i.request != requestFailed
}

// sameValue finds two of one value in a row, for any declarations, while the first had not failed.
func sameValue(s *state) bool {
	var inOrder [maxAttempts + 1]uint8 // values by rank
	for i := range s.intents {
		if s.intents[i].stands() {
			inOrder[s.intents[i].rank] = s.intents[i].value
		}
	}
	values := slices.DeleteFunc(inOrder[:], func(value uint8) bool { return value == 0 })
	return len(slices.Compact(slices.Clone(values))) < len(values)
}
