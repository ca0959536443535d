// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"
)

// action is the kind of a step. actionTexts describes it.
type action uint8

const (
	actReadLedger action = iota
	actReadAccount
	actReadObject
	actRequestHealth
	actIntent
	actIntentLost
	actTakeOver
	actFindOwn
	actWriteNotSent
	actGateAccount
	actGateObject
	actGateLedger
	actGateAge
	actPost
	actReceipt
	actCrash
	actProject
	actNoticeLoss
	actRule
	actPoll
	actHandleLost
	actCarrierEnds
	actPause
	actLongPause
	actUnseenPause
	actResolution
	actLossResolution
	actCreate
	actEdit
	actDelete
	actClose
	actReopen
	actBackUp
	actRestore
)

var actionTexts = [...]string{
	actReadLedger:     "{manager}'s cache of the ledger catches up",
	actReadAccount:    "{manager}'s cache of the account catches up",
	actReadObject:     "{manager}'s cache of {object} catches up",
	actRequestHealth:  "{manager} requests the service's health: it shows value {value}",
	actIntent:         "{manager} writes the intent of attempt {attempt} into the ledger: value {value} for {object}",
	actIntentLost:     "{manager} writes the intent of attempt {attempt}: value {value} for {object}; no response",
	actTakeOver:       "{manager} makes {object} the holder of the ledger",
	actFindOwn:        "{manager} finds attempt {attempt}, of its own process and never posted",
	actWriteNotSent:   "{manager} writes NotSent for attempt {attempt}{outcome}",
	actGateAccount:    "{manager}'s gate reads the account, for attempt {attempt}{outcome}",
	actGateObject:     "{manager}'s gate reads the object, for attempt {attempt}{outcome}",
	actGateLedger:     "{manager}'s gate reads the ledger, for attempt {attempt}{outcome}",
	actGateAge:        "{manager}'s gate checks the clock, for attempt {attempt}{outcome}",
	actPost:           "{manager} sends the POST of attempt {attempt}: the carrier {outcome}",
	actReceipt:        "{manager} writes the receipt of attempt {attempt}, {fact}{outcome}",
	actCrash:          "the process of {manager} crashes and starts again",
	actProject:        "{manager} writes the ledger's revision into the status of {object}",
	actNoticeLoss:     "{manager} sees that the ledger is older than what was seen of it, and writes LedgerLost",
	actRule:           "a manager applies the rule of the class to attempt {attempt}{entry}: {fact}",
	actPoll:           "a manager polls attempt {attempt}{entry}: {fact}",
	actHandleLost:     "the carrier has not known the handle of attempt {attempt}{entry} for 24 h: OutcomeUnknown",
	actCarrierEnds:    "the carrier ends what it accepted of attempt {attempt}: {request}",
	actPause:          "10 s pass since the intent of attempt {attempt} was begun",
	actLongPause:      "120 s pass since the intent of attempt {attempt}",
	actUnseenPause:    "120 s pass since the intent of attempt {attempt}, not on {manager}'s clock (suspended)",
	actResolution:     "a person resolves attempt {attempt}{entry}: {fact}",
	actLossResolution: "a person resolves the lost ledger: {fact}",
	actCreate:         "a person creates {object}, with value {value}",
	actEdit:           "a person edits {object}: a new generation, with value {value}",
	actDelete:         "a person deletes {object}",
	actClose:          "a person closes the account",
	actReopen:         "a person opens the account again",
	actBackUp:         "a backup of the ledger is made",
	actRestore:        "a person restores the ledger from the backup",
}

var factNames = [...]string{
	noFact: "", senderUnsent: "not sent", senderNotProcessed: "not processed", senderRejected: "rejected",
	senderAccepted: "accepted", senderAmbiguous: "ambiguous", pollSucceeded: "it has succeeded",
	pollFailed: "it has failed", ruleProof: "it is proved, Succeeded", ruleUnknown: "OutcomeUnknown",
	personSucceeded: "Succeeded", personNotAccepted: "NotAccepted", personAbandoned: "Abandoned",
	personAccepted: "Accepted, with its request id", personAcceptedOther: "Accepted, with the id of another request",
}

var requestNames = [...]string{
	noRequest: "nothing", requestPending: "pending", requestCompleted: "completed", requestFailed: "failed",
}

// outcome is the result of a step, for the trace.
type outcome uint8

const (
	done outcome = iota
	closes
	refused
	accepts
	acceptsResponseLost
	ignoresResponseLost
	rejects
	respondsThrottled
	writesNothing
)

var outcomes = [...]string{
	done: "", closes: ": not as judged, nothing is sent", refused: ": refused, the table does not list it",
	accepts: "accepts it, and the response arrives", acceptsResponseLost: "accepts it, and the response is lost",
	ignoresResponseLost: "does not accept it, and the response is lost", rejects: "rejects it",
	respondsThrottled: "responds with 429", writesNothing: "is not reached, nothing was written",
}

// label is a step without its text.
type label struct {
	action  action
	manager uint8
	object  uint8
	attempt uint8
	entry   uint8
	value   uint8
	fact    fact
	request request
	outcome outcome
}

func (l label) String() string {
	entry := ""
	if l.entry == lateEntry {
		entry = " (its late acceptance)"
	}
	return strings.NewReplacer(
		"{manager}", "manager "+string(rune('A'+l.manager)),
		"{object}", fmt.Sprintf("object %d", l.object+1),
		"{attempt}", fmt.Sprint(l.attempt+1),
		"{entry}", entry,
		"{value}", fmt.Sprint(l.value),
		"{fact}", factNames[l.fact],
		"{request}", requestNames[l.request],
		"{outcome}", outcomes[l.outcome],
	).Replace(actionTexts[l.action])
}
