// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// resolution is a person's word on one attempt:
// <attemptID>=Accepted:<request id> | NotAccepted | Succeeded | Abandoned;
// or on all that was unknown before a time: all@<time>=Succeeded | Abandoned | SameCarrier.
type resolution struct {
	attemptID string // "" for all
	outcome   string
	requestID string
	before    time.Time // of all
}

// The outcomes that a person can name.
const (
	resolvedAccepted    = "Accepted"
	resolvedNotAccepted = "NotAccepted"
	resolvedSucceeded   = "Succeeded"
	resolvedAbandoned   = "Abandoned"
)

// parseResolution reads the resolve annotation; false when it is not of the form.
func parseResolution(value string) (resolution, bool) {
	attemptID, outcome, found := strings.Cut(value, "=")
	if at, all := strings.CutPrefix(attemptID, resolvedAll); all {
		return parseForAll(at, outcome)
	}
	word, requestID, named := strings.Cut(outcome, ":")
	parsed := resolution{attemptID: attemptID, outcome: word, requestID: requestID}
	switch word {
	case resolvedAccepted:
		return parsed, found && attemptID != "" && requestID != ""
	case resolvedNotAccepted, resolvedSucceeded, resolvedAbandoned:
		return parsed, found && attemptID != "" && !named
	}
	return parsed, false
}

// resolvedByPerson answers when the resolve annotation names the open attempt, "and
// no other", and that attempt is one a person may resolve; or resolves all that is unknown.
func resolvedByPerson(in *Input) *Decision {
	for _, open := range in.Subject.OpenRequests() {
		if resolutionNames(in, open.AttemptID) && resolvable(in, open) || resolvesAll(in, open) {
			return resolveAs(open, resolveAnnotation(in))
		}
	}
	if ended := reworded(in); ended != nil {
		return resolveAs(ended, resolveAnnotation(in))
	}
	return nil
}

// resolveAs resolves an attempt by a person's word; nil when the word is void.
func resolveAs(open *v1alpha1.Request, annotation string) *Decision {
	word, _ := parseResolution(annotation)
	if !possible(open, word) {
		return nil // what is known of the request goes on
	}
	switch word.outcome {
	case resolvedAccepted:
		return accepted(open, word.requestID)
	case resolvedSucceeded:
		return resolveSucceeded(WriterPerson, open, v1alpha1.SourceDeclared)
	case resolvedAbandoned:
		return resolveBy(WriterPerson, open, v1alpha1.PhaseAbandoned, because(givenUp(open.Operation)))
	}
	return resolveBy(WriterPerson, open, v1alpha1.PhaseNotAccepted, because("resolved as not accepted by the carrier"))
}

// givenUp: "never sent again; the next generation may send; an order: final, its
// customerReference is used up".
func givenUp(operation v1alpha1.Operation) string {
	if operation == v1alpha1.OperationOrderCreate {
		return "given up by resolve, which is final: its customerReference is used up"
	}
	return "given up by resolve; a change of spec or the retry annotation may send again"
}

// accepted takes up a request that a person found at the carrier.
func accepted(open *v1alpha1.Request, requestID string) *Decision {
	location, phase := handleNamed(open, requestID).Path(), v1alpha1.PhaseInProgress
	if contract, _ := carrier.ContractOf(carrier.Operation(open.Operation)); !contract.Followed {
		phase = v1alpha1.PhaseSucceeded // "there is no read of an order": it ends with being accepted
	}
	return &Decision{
		Step: Resolve{
			AttemptID: open.AttemptID, By: WriterPerson, From: open.Phase, Phase: phase, Location: location,
		},
		Verdict: progressing(open),
	}
}

func handleNamed(open *v1alpha1.Request, requestID string) carrier.Handle {
	return carrier.Handle{Operation: carrier.Operation(open.Operation), Version: int(open.APIVersion), ID: requestID}
}

// possible says whether a word can be true of a request: its operation can have the id that is named,
// and what the carrier has accepted is not called not accepted.
func possible(open *v1alpha1.Request, word resolution) bool {
	if takenByCarrier(open) && word.outcome == resolvedNotAccepted {
		return false
	}
	return word.outcome != resolvedAccepted || handleNamed(open, word.requestID).Path() != ""
}

// takenByCarrier says whether the carrier's own answer, and no person, says where it follows a request
// that it has accepted late, or that a person has ended.
func takenByCarrier(request *v1alpha1.Request) bool {
	if request.Phase == v1alpha1.PhaseLateAcceptance {
		return true
	}
	named := false
	if said := request.ResolvedBy; said != nil {
		word, _ := parseResolution(said.Word)
		named = word.outcome == resolvedAccepted
	}
	return EndedByPerson(request) && request.Location != "" && !named
}

func resolveAnnotation(in *Input) string {
	return control(in.Subject, v1alpha1.AnnotationResolve)
}

// resolutionNames says whether the annotation is new and names this attempt.
func resolutionNames(in *Input, attemptID string) bool {
	value := resolveAnnotation(in)
	word, ok := parseResolution(value)
	return ok && value != in.Subject.Controls().Resolve && word.attemptID == attemptID
}

// IsResolved says whether a person has said already what becomes of an attempt.
func IsResolved(object metav1.Object, attemptID string) bool {
	word, ok := parseResolution(object.GetAnnotations()[v1alpha1.AnnotationResolve])
	return ok && word.attemptID == attemptID
}

// resolvable: OutcomeUnknown, an Overdue request, and one whose answer was lost and
// which is being verified. Not one that a process may still be sending.
func resolvable(in *Input, open *v1alpha1.Request) bool {
	switch open.Phase {
	case v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance:
		return true
	case v1alpha1.PhaseInProgress:
		return isOverdue(in, open) || handleLost(in, open)
	case v1alpha1.PhaseSubmitting:
		return open.Error != nil || !in.Now.Before(in.Memory.Attempts[open.AttemptID].Seen.Add(senderGrace))
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
		v1alpha1.PhaseRepeated:
	}
	return false
}

// resolutionIsVoid says that the annotation can never apply: it is not of the form, names
// a request id that cannot be, or an attempt that is not open. Attempt ids are random and
// never come back. One of all attempts is used up when it resolves none, or no more.
func resolutionIsVoid(in *Input) bool {
	value := resolveAnnotation(in)
	if value == "" || value == in.Subject.Controls().Resolve {
		return false
	}
	word, ok := parseResolution(value)
	for _, open := range in.Subject.OpenRequests() {
		if ok && open.AttemptID == word.attemptID {
			return !possible(open, word)
		}
		if resolvesAll(in, open) {
			return false
		}
	}
	ended := reworded(in)
	return ended == nil || !possible(ended, word)
}
