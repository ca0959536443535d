// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Writer is the source of an attempt's outcome.
type Writer string

// The writers.
const (
	WriterSender Writer = "Sender" // the process that sent it, from the response to its POST or a closed gate
	WriterPoll   Writer = "Poll"   // any process, from a response to a GET of the Location
	WriterRule   Writer = "Rule"   // any process, from proof of the outcome or from the rule of the class
	WriterPerson Writer = "Person" // a resolve annotation, or the deletion of the object
)

// EndedBy returns who ended an attempt, given the writer of the outcome: NotSent comes from the
// sender itself, and any other outcome from the sender or a poll comes from the carrier.
func (w Writer) EndedBy(phase v1alpha1.RequestPhase) v1alpha1.EndedBy {
	switch {
	case w == WriterPerson:
		return v1alpha1.EndedByPerson
	case w == WriterRule:
		return v1alpha1.EndedByProof
	case w == WriterSender && phase == v1alpha1.PhaseNotSent:
		return v1alpha1.EndedBySender
	}
	return v1alpha1.EndedByCarrier
}

// MayBecome reports whether a writer may change the phase of an attempt: the table of R14. The
// outcome of a repeat is weakened afterwards, because an earlier attempt may have been accepted:
// see EndUnreached and PhaseOfRefusal.
func MayBecome(attempt *v1alpha1.Request, by Writer, to v1alpha1.RequestPhase) bool {
	switch by {
	case WriterSender:
		return slices.Contains(bySender(attempt), to)
	case WriterPoll:
		proves := HasCandidate(attempt) && to == v1alpha1.PhaseInProgress
		return proves || attempt.Phase == v1alpha1.PhaseInProgress && slices.Contains(byPoll(), to)
	case WriterRule:
		return slices.Contains(byRule(attempt), to)
	case WriterPerson:
		return slices.Contains(byPerson(attempt), to)
	}
	return false
}

// bySender returns the phases that the sender may set. The sender may set the outcome until an
// equally reliable writer has ended the attempt. If the attempt has succeeded without a Location,
// the sender may only add the Location.
func bySender(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch attempt.Phase {
	case v1alpha1.PhaseSubmitting:
		return []v1alpha1.RequestPhase{
			v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected,
			v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseSubmitting,
		}
	case v1alpha1.PhaseOutcomeUnknown:
		if IsLostWithItsLedger(attempt) {
			return []v1alpha1.RequestPhase{v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded}
		}
		known := []v1alpha1.RequestPhase{
			v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded,
		}
		if attempt.Repeats == 0 { // otherwise an earlier attempt may have succeeded
			known = append(known, v1alpha1.PhaseRejected)
		}
		return known
	case v1alpha1.PhaseSucceeded:
		if attempt.Location == "" && attempt.EndedBy != v1alpha1.EndedByCarrier {
			return []v1alpha1.RequestPhase{v1alpha1.PhaseSucceeded, v1alpha1.PhaseInProgress} // it stays Succeeded
		}
	case v1alpha1.PhaseInProgress, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed,
		v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseRepeated,
		v1alpha1.PhaseLateAcceptance:
	}
	return nil
}

// byPoll returns the phases that a poll of the request's own Location may set. If the result cannot
// be read, or belongs to another request, the outcome must be verified. If the result shows another
// cancellation, the attempt ends.
func byPoll() []v1alpha1.RequestPhase {
	return []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseSubmitting, v1alpha1.PhaseAbandoned,
	}
}

// byRule returns the phases that a rule may set: an attempt of class Verify is ended if another
// cancellation has been requested since, and a query whose Location is lost is sent again. No rule
// sets NotAccepted: an attempt may have been accepted even if no reading shows it.
func byRule(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch attempt.Phase {
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress:
		return []v1alpha1.RequestPhase{
			v1alpha1.PhaseSucceeded, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseAbandoned,
			v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed,
		}
	case v1alpha1.PhaseOutcomeUnknown:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned, v1alpha1.PhaseNotSent}
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed,
		v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseRepeated,
		v1alpha1.PhaseLateAcceptance:
	}
	return nil
}

// byPerson returns the phases that a person may set. A person resolves what has not ended, and can
// change what a person has ended. If the carrier accepted an order and then rejected it, a person
// may also confirm that it is closed.
func byPerson(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch attempt.Phase {
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown:
		return byAnyResolution()
	case v1alpha1.PhaseLateAcceptance:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned}
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned:
		return byNewerResolution(attempt)
	case v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected,
		v1alpha1.PhaseRepeated:
	}
	return nil
}

// byAnyResolution returns the phases of the resolutions Accepted, Succeeded, NotAccepted and
// Abandoned.
func byAnyResolution() []v1alpha1.RequestPhase {
	return []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	}
}

// byNewerResolution returns the phases that a newer resolution may set. It may only change an
// attempt that a person has ended (R14). The exception is an order that the carrier accepted and
// then rejected: only people know about the rejection.
func byNewerResolution(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch {
	case EndedByPerson(attempt):
		return byAnyResolution()
	case attempt.Operation == v1alpha1.OperationOrderCreate && attempt.Phase == v1alpha1.PhaseSucceeded:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseNotAccepted}
	}
	return nil
}

// meaning is what a phase means for an attempt.
type meaning struct {
	implies implication // "" for nothing
	failed  bool        // see [Definitive]
	retried bool        // see [IsAutoRetried]
}

// implication is what a phase implies about an attempt at the carrier.
type implication string

const (
	impliesDone        implication = "done"
	impliesNotDone     implication = "accepted, but not done"
	impliesNotAccepted implication = "not accepted"
)

// meaningOf returns what a phase means. A phase that this version does not know means nothing.
func meaningOf(phase v1alpha1.RequestPhase) meaning {
	switch phase {
	case v1alpha1.PhaseSucceeded:
		return meaning{implies: impliesDone}
	case v1alpha1.PhaseFailed:
		return meaning{implies: impliesNotDone, failed: true}
	case v1alpha1.PhaseRejected:
		return meaning{implies: impliesNotAccepted, failed: true}
	case v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseNotAccepted:
		return meaning{implies: impliesNotAccepted, retried: true}
	case v1alpha1.PhaseAbandoned:
		return meaning{failed: true}
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseRepeated,
		v1alpha1.PhaseLateAcceptance:
	}
	return meaning{}
}

// Contradicts reports whether the recorded phase of an attempt rules out a newly reported phase.
// The report is then refused with an Event, because one of the two is wrong (R14).
func Contradicts(recorded, reported v1alpha1.RequestPhase) bool {
	before, after := meaningOf(recorded).implies, meaningOf(reported).implies
	return before != "" && after != "" && before != after
}

// MayOrderAgain reports whether an attempt in this phase allows its order to be changed and sent,
// because the carrier has not accepted it (R3).
func MayOrderAgain(phase v1alpha1.RequestPhase) bool {
	return meaningOf(phase).implies == impliesNotAccepted
}

// EndedInFailure reports whether an attempt has failed, and only a person can cause another one.
func EndedInFailure(last *v1alpha1.Request) bool {
	return last != nil && (Definitive(last.Phase) || ResultDiffers(last) || exhausted(last))
}

// Definitive reports whether an attempt in this phase has failed definitively. It is not retried
// automatically, unless [AutoRetryAt] permits it.
func Definitive(phase v1alpha1.RequestPhase) bool { return meaningOf(phase).failed }

// IsReadAgain reports whether a request has succeeded and is tracked once more for its result. It
// is never overdue, its Location is never lost, and no person resolves it: the carrier has ended it
// (R14).
func IsReadAgain(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseInProgress && request.EndedBy == v1alpha1.EndedByCarrier
}

// EndedByPerson reports whether a person's resolution has ended an attempt.
func EndedByPerson(attempt *v1alpha1.Request) bool {
	resolved := []v1alpha1.RequestPhase{v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned}
	return attempt.EndedBy == v1alpha1.EndedByPerson && slices.Contains(resolved, attempt.Phase)
}

// IsAutoRetried reports whether an attempt that ended in this phase may be retried automatically.
func IsAutoRetried(phase v1alpha1.RequestPhase) bool { return meaningOf(phase).retried }

// StandsForLostLedger reports whether a recorded request stands for everything that was sent before
// the ledger was lost: it is a plan change without a plan.
func StandsForLostLedger(request *v1alpha1.Request) bool {
	return request.Operation == v1alpha1.OperationPlanChange && request.Target == (v1alpha1.RequestTarget{})
}

// StandsForAll reports whether a request still stands for everything that was sent before the
// ledger was lost. This ends once a person has found one of those requests at the carrier.
func StandsForAll(request *v1alpha1.Request) bool {
	return StandsForLostLedger(request) && IsLostWithItsLedger(request)
}

// IsLostWithItsLedger reports whether the outcome of an attempt is unknown because its ledger was
// lost. Such an attempt also stands for the attempts that came after it (R5).
func IsLostWithItsLedger(attempt *v1alpha1.Request) bool {
	return attempt.Error != nil && attempt.Error.Code == v1alpha1.ReasonLedgerLost
}
