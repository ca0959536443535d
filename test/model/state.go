// SPDX-License-Identifier: Apache-2.0

package model

// The dimensions of a state.
const (
	managers    = 2
	objects     = 2
	maxAttempts = 4
)

// class is the class of the operation: what is sent again, and what can be read.
type class uint8

const (
	classNever  class = iota // an aggregation conversion: only our own success or a person shows it
	classCharge              // a plan change: health shows the plan
	classOrder               // an order: Never, not polled, and Succeeded and Abandoned are final (R3)
)

// phase is the phase of an attempt in the ledger, as in the table of R14.
type phase uint8

const (
	notRecorded phase = iota
	submitting
	inProgress
	outcomeUnknown
	succeeded
	failed
	rejected
	notSent
	notProcessed
	notAccepted
	abandoned
	lateAcceptance // R15: an entry beside the attempt, which blocks its lane
	gone           // in the table only: the attempt has left `ended` and counts as Abandoned (R14)
)

func (p phase) isOpen() bool {
	return p >= submitting && p <= outcomeUnknown || p == lateAcceptance
}

// neverReached reports that nothing reached the carrier, or that it ignored the request.
func (p phase) neverReached() bool { return p == notSent || p == notProcessed }

func (p phase) hasEnded() bool { return p >= succeeded && p <= abandoned }

// source is what ended an attempt.
type source uint8

const (
	anybody source = iota // also: not ended
	byCarrier
	byProof
	byPerson
	bySender
)

// handle is the request id in an entry.
type handle uint8

const (
	noHandle    handle = iota
	ownHandle          // the one that the carrier gave to this attempt
	otherHandle        // one that a person named and that belongs to another request
)

// entry is the ledger's record of an attempt.
type entry struct {
	phase   phase
	endedBy source
	handle  handle
	unclear bool // Submitting with error: the response was ambiguous
}

// attempt is an attempt in the ledger.
type attempt [2]entry

func (a *attempt) isAbandoned() bool {
	return a[mainEntry].phase == abandoned || a[lateEntry].phase == abandoned
}

// An attempt has a main entry and, after a late acceptance, a second one.
const (
	mainEntry = iota
	lateEntry
)

// version names a stored copy of an earlier ledger.
type version uint32

// place names an entry of the ledger.
type place struct {
	attempt uint8
	entry   uint8
}

// name is an object by name and UID.
type name struct {
	object uint8
	uid    uint8 // 0: nobody
}

// ledger is the RequestLedger of the service; revision 0 means that there is none.
type ledger struct {
	revision uint8
	known    uint8 // the value of the last success
	lost     bool  // the open entry of LedgerLost (R5)
	holder   name
	attempts [maxAttempts]attempt
}

func (l *ledger) at(p place) *entry { return &l.attempts[p.attempt][p.entry] }

// newest returns the newest recorded attempt.
func (l *ledger) newest() (uint8, bool) {
	for i := maxAttempts - 1; i >= 0; i-- {
		if l.attempts[i] != (attempt{}) {
			return uint8(i), true
		}
	}
	return 0, false
}

// isEmpty reports that nothing blocks the lane: no open attempt, no late acceptance (R3).
func (l *ledger) isEmpty() bool {
	for i := range l.attempts {
		if l.attempts[i][mainEntry].phase.isOpen() || l.attempts[i][lateEntry].phase.isOpen() {
			return false
		}
	}
	return true
}

// object is one of the two that declare the service.
type object struct {
	exists     bool
	uid        uint8
	generation uint8
	want       uint8
	// The status, kept only if something is restored.
	revision uint8 // status.ledger.revision
	newest   uint8 // the newest attempt that it shows, from 1
}

// declaration is one wanted change: an object with one UID in one generation.
type declaration struct {
	name       name
	generation uint8
}

func (o *object) declares(number uint8) declaration {
	return declaration{name{number, o.uid}, o.generation}
}

// account is the CarrierAccount.
type account struct {
	generation uint8
	closed     bool
}

// request is what the carrier has done with a POST.
type request uint8

const (
	noRequest request = iota
	requestPending
	requestCompleted
	requestFailed
)

// intent is what is fixed when an attempt begins, and the truth about it, whether or not the ledger
// has it. Programs read only what their process knows; the rest is for the properties.
type intent struct {
	wanted  declaration
	value   uint8
	sender  uint8 // the process that opened it, 0 once that has ended
	passed  bool  // "posted" in its memory: the gate was passed
	expired bool  // 120 s have passed

	request        request
	posts          uint8
	rank           uint8 // its position among the POSTs that the carrier accepted
	delivered      bool  // the response has arrived and its receipt has been handled
	afterAbandoned bool  // begun although a person had abandoned the same declaration
	restoredAway   bool  // a restore has removed it from the ledger
	permit         permit
}

// permit states which further POST of the same value the resolutions permit.
type permit uint8

const (
	noPermit   permit = iota
	permitNext        // for another declaration of it
	permitSame        // for the same declaration, too
)

// budget is what is left of the bounds.
type budget struct {
	resolutions, pauses, crashes, edits, closings, stops, losses, lostWrites, restores uint8
}

// state is the whole state. It is comparable: equal states are one.
type state struct {
	ledger   ledger
	backup   version
	backedUp bool
	objects  [objects]object
	account  account
	managers [managers]manager
	plan     uint8 // the value that the carrier's health shows; class Charge
	shown    uint8 // 1 + plan, while it has not changed since the last end of an attempt
	begun    uint8 // the number of attempts begun
	accepted uint8 // the number of POSTs that the carrier has accepted
	intents  [maxAttempts]intent
	left     budget
}

// commit is the only write to the ledger besides a restore. After it, every earlier reader has an
// old resourceVersion.
func (m *model) commit(s *state, next ledger) {
	if next.revision == 0 || m.revises() {
		next.revision++
	}
	s.replace(next)
}

func (s *state) replace(next ledger) {
	s.ledger = next
	for i := range s.managers {
		s.managers[i].current = false
		s.managers[i].unchanged = false
	}
}
