// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// property is a promise that every step must keep.
type property struct {
	name string
	// violated reports whether the step from one state to the other breaks it.
	violated func(m *model, before, after *state, l label) bool
}

// properties are the promises, each with the rule that makes it.
var properties = []property{
	neverSentTwice, eachAttemptPostedOnce, acceptedIsNotLost, withdrawnIsNotSent,
	resolutionStands, abandonedIsNotSentAgain, shownValueIsNotBought,
	oneOpenAttempt, whatEndedStaysEnded, revisionNeverFalls, cannotBe,
}

var neverSentTwice = property{
	"never sent twice: one accepted POST for a declaration and for a value, except after a false or early resolution",
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

var acceptedIsNotLost = property{
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

var withdrawnIsNotSent = property{
	"nothing is sent after a gate at which the account was closed, or the object gone or edited (R12)",
	func(_ *model, before, after *state, l label) bool {
		return l.action == actPost && before.managers[l.manager].withdrawn &&
			after.intents[l.attempt].posts > before.intents[l.attempt].posts
	},
}

var resolutionStands = property{
	"what a person ended is changed only by a newer resolution (R14)",
	func(_ *model, before, after *state, l label) bool {
		for i := range before.ledger.attempts {
			for e := range before.ledger.attempts[i] {
				was, is := before.ledger.attempts[i][e], after.ledger.attempts[i][e]
				if was.endedBy == byPerson && is.phase != was.phase && l.action != actResolution && l.action != actRestore {
					return true
				}
			}
		}
		return false
	},
}

var abandonedIsNotSentAgain = property{
	"what a person abandoned is not sent again for the same declaration, an order never (R3)",
	func(_ *model, before, after *state, l label) bool {
		return l.action == actPost && before.intents[l.attempt].afterAbandoned &&
			after.intents[l.attempt].posts > before.intents[l.attempt].posts
	},
}

var shownValueIsNotBought = property{
	"no attempt begins for a value that a reading would have shown (R7)",
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

// whatEndedStaysEnded is R3, except for what R14 lists: a person's newer resolution "Accepted".
var whatEndedStaysEnded = property{
	"an attempt that has ended is reopened only by a resolution (R3)",
	func(_ *model, before, after *state, l label) bool {
		for i := range before.ledger.attempts {
			was, is := before.ledger.attempts[i][mainEntry].phase, after.ledger.attempts[i][mainEntry].phase
			if was.hasEnded() && is.isOpen() && l.action != actResolution && l.action != actRestore {
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
			after.ledger.revision <= before.ledger.revision && l.action != actRestore
	},
}

// cannotBe is the last row of R14: Accepted for an attempt that its sender or the carrier had
// recorded as not sent, not processed or rejected. Failed and Succeeded are possible there, because
// a person may have named the number of another request.
var cannotBe = property{
	"no Accepted for an attempt that ended NotSent, NotProcessed or Rejected (R14: it cannot be)",
	func(_ *model, before, after *state, l label) bool {
		if l.action != actReceipt || l.fact != senderAccepted {
			return false
		}
		return before.ledger != after.ledger && before.ledger.attempts[l.attempt][mainEntry].isDenied() &&
			before.ledger.attempts[l.attempt][mainEntry].phase != notRecorded
	},
}

// isLost reports that neither a running process nor the ledger knows of an accepted POST. If the
// sender has recorded its receipt, the ledger must have the attempt's number, or a number that a
// person named instead. If the response was lost, the attempt must be open, or must have ended in a
// phase in which the carrier may have accepted it.
func (m *model) isLost(s *state, attempt uint8) bool {
	about := &s.intents[attempt]
	if about.request == noRequest || about.restoredAway || s.isBetween(attempt, hasResponse, hasResponse) {
		return false
	}
	on := &s.ledger.attempts[attempt]
	if on[lateEntry].phase != notRecorded {
		return false
	}
	return about.delivered && on[mainEntry].handle == noHandle || !about.delivered && on[mainEntry].isDenied()
}

// isDenied reports that nothing recorded suggests that the attempt was accepted.
func (e *entry) isDenied() bool {
	return e.phase == notRecorded || e.phase == rejected || e.phase.neverReached()
}

// sentTwice checks what the carrier has accepted, in the order of acceptance.
func (m *model) sentTwice(s *state) bool {
	return m.sameDeclaration(s) || sameValue(s)
}

// sameDeclaration finds two accepted attempts for one declaration (for an order: for its
// reference). Attempts that a person resolved as NotAccepted falsely or too early do not count.
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

// wasBought reports whether an attempt was accepted and nothing permits another attempt for its
// declaration.
func (i *intent) wasBought() bool { return i.rank > 0 && i.permit < permitSame }

// stands reports whether an attempt was accepted and has not failed, and nothing permits another
// attempt for the same value.
func (i *intent) stands() bool {
	return i.rank > 0 && i.permit == noPermit && i.request != requestFailed
}

// sameValue finds two consecutive attempts for one value, whatever their declarations. Failed
// attempts are skipped, and so are those after which another was permitted.
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
