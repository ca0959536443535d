// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Writer is who says what became of an attempt.
type Writer string

// The writers.
const (
	WriterSender Writer = "Sender" // the process that sent it: by the answer to its POST, or a gate that was closed
	WriterPoll   Writer = "Poll"   // any process, by an answer to a GET of the Location
	WriterRule   Writer = "Rule"   // any process, by what proves the outcome or by the rule of the class
	WriterPerson Writer = "Person" // a resolve annotation that names the attempt
)

// EndedBy is who ended an attempt by what a writer said: NotSent is the sender's own word, and
// whatever else it heard or read is the carrier's.
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

// MayBecome says whether a writer may take an attempt from where it is to a phase: "the table at the
// end of this page; whatever it does not list is refused where it is made" (R14).
func MayBecome(attempt *v1alpha1.Request, by Writer, to v1alpha1.RequestPhase) bool {
	switch by {
	case WriterSender:
		return slices.Contains(bySender(attempt), to)
	case WriterPoll:
		return attempt.Phase == v1alpha1.PhaseInProgress && slices.Contains(byPoll(), to)
	case WriterRule:
		return slices.Contains(byRule(attempt), to)
	case WriterPerson:
		return slices.Contains(byPerson(attempt), to)
	}
	return false
}

// bySender: what a process has to say of its own attempt counts until somebody who knows as much
// has ended it. To one that was called succeeded without its handle the handle is added, and no more.
func bySender(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch attempt.Phase {
	case v1alpha1.PhaseSubmitting:
		return []v1alpha1.RequestPhase{
			v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected,
			v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseSubmitting,
		}
	case v1alpha1.PhaseOutcomeUnknown:
		known := []v1alpha1.RequestPhase{
			v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded,
		}
		if attempt.Repeats == 0 { // else one before it may have succeeded
			known = append(known, v1alpha1.PhaseRejected)
		}
		return known
	case v1alpha1.PhaseSucceeded:
		if attempt.Location == "" && attempt.EndedBy != v1alpha1.EndedByCarrier {
			return []v1alpha1.RequestPhase{v1alpha1.PhaseSucceeded, v1alpha1.PhaseInProgress} // and stays as it is
		}
	case v1alpha1.PhaseInProgress, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed,
		v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseRepeated,
		v1alpha1.PhaseLateAcceptance:
	}
	return nil
}

// byPoll: a result that cannot be read, or is another request's, leaves the outcome to be verified;
// and one that shows another cancellation ends the attempt.
func byPoll() []v1alpha1.RequestPhase {
	return []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseSubmitting, v1alpha1.PhaseAbandoned,
	}
}

// byRule: class Verify ends an attempt when another cancellation was requested since, and a Query
// whose Location is lost is asked anew.
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

// byPerson: a person resolves what has not ended, and says of an order that the carrier rejected
// after it had taken it that it is dead.
func byPerson(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch attempt.Phase {
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown:
		return byAnyWord()
	case v1alpha1.PhaseLateAcceptance:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned}
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned:
		return byNewerWord(attempt)
	case v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected,
		v1alpha1.PhaseRepeated:
	}
	return nil
}

// byAnyWord is where the words of a resolution lead: Accepted, Succeeded, NotAccepted and Abandoned.
func byAnyWord() []v1alpha1.RequestPhase {
	return []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	}
}

// byNewerWord: "What a person ended is changed only by a newer resolution" (R14). That an order which
// the carrier has taken was rejected is known to people alone.
func byNewerWord(attempt *v1alpha1.Request) []v1alpha1.RequestPhase {
	switch {
	case EndedByPerson(attempt):
		return byAnyWord()
	case attempt.Operation == v1alpha1.OperationOrderCreate && attempt.Phase == v1alpha1.PhaseSucceeded:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseNotAccepted}
	}
	return nil
}
