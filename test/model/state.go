// SPDX-License-Identifier: Apache-2.0

package model

// What a state has room for.
const (
	managers    = 2
	objects     = 2
	maxAttempts = 4
)

// class says what the operation is: what is sent again, and what can be read.
type class uint8

const (
	classNever  class = iota // an aggregation conversion: nothing shows it but our own success or a person
	classCharge              // a plan change: health shows the plan
	classOrder               // an order: Never, not polled, and Succeeded and Abandoned are final (R3)
)

// phase is the phase of an attempt in the ledger, as in the table of R14.
type phase uint8

const (
	notOnRecord phase = iota
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

// neverReached says that nothing reached the carrier, or that it did nothing with it.
func (p phase) neverReached() bool { return p == notSent || p == notProcessed }

func (p phase) hasEnded() bool { return p >= succeeded && p <= abandoned }

// source is who ended an attempt.
type source uint8

const (
	anybody source = iota // also: not ended
	byCarrier
	byProof
	byPerson
	bySender
)

// handle is the request id that stands in an entry.
type handle uint8

const (
	noHandle    handle = iota
	ownHandle          // the one that the carrier gave to this attempt
	otherHandle        // one that a person named and that is another request's
)

// entry is what the ledger says of an attempt.
type entry struct {
	phase   phase
	endedBy source
	handle  handle
	unclear bool // Submitting with error: the answer was ambiguous
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

// version names a ledger as it once was: a copy that somebody keeps.
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
	known    uint8 // the value that was last brought about
	lost     bool  // the open entry of LedgerLost (R5)
	holder   name
	attempts [maxAttempts]attempt
}

func (l *ledger) at(p place) *entry { return &l.attempts[p.attempt][p.entry] }

// newest is the newest attempt on record.
func (l *ledger) newest() (uint8, bool) {
	for i := maxAttempts - 1; i >= 0; i-- {
		if l.attempts[i] != (attempt{}) {
			return uint8(i), true
		}
	}
	return 0, false
}

// isEmpty says that nothing blocks the lane: no open attempt, no late acceptance (R3).
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
	// The status, kept where something is restored.
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

// request is what the carrier has made of a POST.
type request uint8

const (
	noRequest request = iota
	requestPending
	requestCompleted
	requestFailed
)

// intent is what is fixed when an attempt begins, and what is true about it, whether or not the
// ledger has it. Programs read only what their process knows; the rest is for the properties.
type intent struct {
	wanted declaration
	value  uint8
	sender uint8 // the process that opened it, 0 once that has ended
	passed bool  // "posted" in its memory: the gate was passed
	old    bool  // 120 s have passed

	request    request
	posts      uint8
	rank       uint8 // the how-manieth POST that the carrier accepted
	delivered  bool  // the answer has come and its receipt has been dealt with
	regardless bool  // begun although a person had called the same declaration Abandoned
	forgotten  bool  // a restore has taken it from the ledger
	license    license
}

// license says which words of people excuse a further POST of the same value.
type license uint8

const (
	noLicense  license = iota
	forNext            // for another declaration of it
	forTheSame         // for the same declaration, too
)

// budget is what is left of the bounds.
type budget struct {
	words, pauses, crashes, edits, closings, stops, losses, lostWrites, restores uint8
}

// state is everything there is. It is comparable: equal states are one.
type state struct {
	ledger   ledger
	backup   version
	backedUp bool
	objects  [objects]object
	account  account
	managers [managers]manager
	plan     uint8 // the value that the carrier's health shows; class Charge
	shown    uint8 // 1 + plan, while it has not changed since an attempt has last ended
	begun    uint8 // how many attempts have ever begun
	accepted uint8 // how many POSTs the carrier has accepted
	intents  [maxAttempts]intent
	left     budget
}

// commit is the only write to the ledger: whoever has read it before has an old resourceVersion.
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
