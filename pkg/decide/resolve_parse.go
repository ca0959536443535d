// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// resolution is a person's resolution of one attempt:
// <attemptID>=Accepted:<request id> | NotAccepted | Succeeded | Abandoned;
// or of everything that was unknown before a time: all@<time>=Succeeded | Abandoned.
type resolution struct {
	AttemptID string // "" for a resolution of all attempts
	Outcome   string
	requestID string
	before    time.Time // only for a resolution of all attempts
}

// The outcomes that a resolution can name.
const (
	resolvedAccepted    = "Accepted"
	ResolvedNotAccepted = "NotAccepted"
	ResolvedSucceeded   = "Succeeded"
	resolvedAbandoned   = "Abandoned"
)

// ResolveAnnotation returns the value of the annotation resolve.
func ResolveAnnotation(in *Input) string {
	return Control(in.Subject, v1alpha1.AnnotationResolve)
}

// ResolutionNames reports whether the annotation is new and names this attempt.
func ResolutionNames(in *Input, attemptID string) bool {
	value := ResolveAnnotation(in)
	resolved, ok := ParseResolution(value)
	return ok && !isUsedUp(in, value) && resolved.AttemptID == attemptID
}

// isUsedUp reports whether a value of the resolve annotation was acted on, or ignored for good.
// While the admission policies are not in force, any value is used up: the status then shows it
// as ignored. A value is also used up if the ledger records that it has resolved the attempt that
// it names. The status may have been emptied, or the object created again, and the carrier may
// have accepted the attempt since.
func isUsedUp(in *Input, value string) bool {
	controls := in.Subject.Record().Controls()
	resolved, ok := ParseResolution(value)
	return in.Installation.Policies.Flaw != "" || value == controls.Resolve || value == controls.IgnoredResolve ||
		ok && resolved.AttemptID != "" && isOnRecord(in.Ledger, resolved.AttemptID, value)
}

// isOnRecord reports whether a ledger records that a value has resolved an attempt of any object:
// attempt ids are unique. The ledger may be nil.
func isOnRecord(ledger *v1alpha1.RequestLedger, attemptID, value string) bool {
	if ledger == nil {
		return false
	}
	is := func(id string, by *v1alpha1.Resolution) bool { return id == attemptID && by != nil && by.Word == value }
	return slices.ContainsFunc(ledger.Spec.Open, func(r v1alpha1.Request) bool { return is(r.AttemptID, r.ResolvedBy) }) ||
		slices.ContainsFunc(ledger.Spec.Ended, func(e v1alpha1.EndedAttempt) bool { return is(e.AttemptID, e.ResolvedBy) })
}

// HasNamed reports whether a used up value of the annotation names this attempt.
func HasNamed(in *Input, attemptID string) bool {
	controls := in.Subject.Record().Controls()
	acted, _ := ParseResolution(controls.Resolve)
	ignored, _ := ParseResolution(controls.IgnoredResolve)
	return acted.AttemptID == attemptID || ignored.AttemptID == attemptID
}

// ParseResolution parses the resolve annotation; it returns false if the form is invalid.
func ParseResolution(value string) (resolution, bool) {
	attemptID, outcome, found := strings.Cut(value, "=")
	if at, all := strings.CutPrefix(attemptID, resolvedAll); all {
		return parseForAll(at, outcome)
	}
	word, requestID, named := strings.Cut(outcome, ":")
	parsed := resolution{AttemptID: attemptID, Outcome: word, requestID: requestID}
	switch word {
	case resolvedAccepted:
		return parsed, found && attemptID != "" && requestID != ""
	case ResolvedNotAccepted, ResolvedSucceeded, resolvedAbandoned:
		return parsed, found && attemptID != "" && !named
	}
	return parsed, false
}

// resolvedAll is the prefix of a resolution of everything that was unknown before a time.
const resolvedAll = "all@"

// parseForAll parses `all@<RFC 3339 time>=<outcome>`. The outcome is never NotAccepted, because
// requests that nobody has checked would be sent again (R27).
func parseForAll(at, outcome string) (resolution, bool) {
	before, err := time.Parse(time.RFC3339, at)
	parsed := resolution{Outcome: outcome, before: before}
	switch outcome {
	case ResolvedSucceeded, resolvedAbandoned:
		return parsed, err == nil
	}
	return parsed, false
}

// resolvesAll reports whether the annotation is new and resolves this attempt together with
// others. The time in the annotation is not in the future, and the outcome was unknown before it
// (R27). An attempt whose outcome becomes unknown later is never resolved by an old value.
func resolvesAll(in *Input, open *v1alpha1.Request) bool {
	value := ResolveAnnotation(in)
	resolved, ok := ParseResolution(value)
	if !ok || isUsedUp(in, value) || resolved.AttemptID != "" || resolved.before.After(in.Now) {
		return false
	}
	waits := open.Phase == v1alpha1.PhaseOutcomeUnknown || open.Phase == v1alpha1.PhaseLateAcceptance
	// Recorded times are truncated to seconds: the order within the same second is unknown.
	return waits && !open.FinishedAt.IsZero() && open.FinishedAt.Time.Before(resolved.before.Truncate(time.Second))
}

// notResolvedByAll returns a message suffix that explains why a resolution of all attempts does
// not end this attempt; "" if the annotation is no such resolution.
func notResolvedByAll(in *Input, open *v1alpha1.Request) string {
	value := ResolveAnnotation(in)
	if !strings.HasPrefix(value, resolvedAll) {
		return ""
	}
	return fmt.Sprintf(" (the annotation %s is now %q, which does not resolve this attempt: "+
		"the form is all@<time>=Succeeded or =Abandoned, with an RFC 3339 time after %s that is not in the future)",
		v1alpha1.AnnotationResolve, value, open.FinishedAt.UTC().Format(time.RFC3339))
}

// acceptedByCarrier reports whether the Location of a request came from the carrier's own response
// and not from a person. It returns false for a request that was neither accepted late nor ended by
// a person.
func acceptedByCarrier(request *v1alpha1.Request) bool {
	if request.Phase == v1alpha1.PhaseLateAcceptance {
		return true
	}
	named := false
	if resolution := request.ResolvedBy; resolution != nil {
		parsed, _ := ParseResolution(resolution.Word)
		named = parsed.Outcome == resolvedAccepted
	}
	return EndedByPerson(request) && request.Location != "" && !named
}

func handleNamed(open *v1alpha1.Request, requestID string) carrier.Handle {
	return carrier.Handle{Operation: carrier.Operation(open.Operation), Version: int(open.APIVersion), ID: requestID}
}

// ResolveHint returns the command that resolves a request, with the outcomes that it can have.
func ResolveHint(in *Input, open *v1alpha1.Request) string {
	outcomes := outcomesOf(open.Operation)
	if len(outcomes) < 4 { // no request id has to be filled in, so the outcome itself is left open
		return ResolveCommand(in, open, "<outcome>") + ", with the outcome " + ListOf(outcomes, "or")
	}
	hint := ResolveCommand(in, open, outcomes[0]) + " (or =" + strings.Join(outcomes[1:], ", =") + ")"
	if open.Operation == v1alpha1.OperationOrderCreate {
		hint += "; Abandoned is final, the customerReference cannot be used again after it"
	}
	return hint
}

// ResolveCommand returns the command that resolves an attempt with an outcome.
func ResolveCommand(in *Input, attempt *v1alpha1.Request, outcome string) string {
	return AnnotateCommand(in, v1alpha1.AnnotationResolve, attempt.AttemptID+"="+outcome)
}

// outcomesOf returns the outcomes that a person can state for a request of an operation.
func outcomesOf(operation v1alpha1.Operation) []string {
	outcomes := []string{ResolvedNotAccepted, ResolvedSucceeded, resolvedAbandoned}
	switch {
	case !TakesRequestID(operation):
		return outcomes
	case operation == v1alpha1.OperationOrderCreate:
		return append([]string{resolvedAccepted + ":<order number>"}, outcomes...)
	}
	return append([]string{resolvedAccepted + ":<request id>"}, outcomes...)
}

// TakesRequestID reports whether the carrier gives each request of an operation its own id. An
// AppointmentCancel gets none. A change of a cancellation is shown under the service's id: with
// any other number, the cancellation of another service would be polled.
func TakesRequestID(operation v1alpha1.Operation) bool {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.ID != carrier.IDNone && contract.Handle != carrier.HandleServiceID
}

// WhyImpossible returns why a value of the resolve annotation cannot be true for the request that
// it names; "" if it can. The request id must be valid for the operation, and a request that the
// carrier has accepted cannot be resolved as not accepted.
func WhyImpossible(request *v1alpha1.Request, value string) string {
	resolved, _ := ParseResolution(value)
	switch {
	case resolved.Outcome == ResolvedNotAccepted && acceptedByCarrier(request):
		return "the carrier itself has confirmed that it accepted the attempt, so it cannot be NotAccepted"
	case resolved.Outcome != resolvedAccepted:
		return ""
	case !TakesRequestID(request.Operation):
		return fmt.Sprintf("the carrier gives %s no request id: state %s",
			request.Operation, ListOf(outcomesOf(request.Operation), "or"))
	case handleNamed(request, resolved.requestID).Path() != "":
		return ""
	case request.Operation == v1alpha1.OperationOrderCreate:
		return "an order number is a number of at most 19 digits"
	}
	return fmt.Sprintf("the carrier does not write a request id of %s like this", request.Operation)
}

// whyResolvesNothing explains why a value of the resolve annotation has no effect on an object.
func whyResolvesNothing(in *Input, value string) string {
	resolved, valid := ParseResolution(value)
	switch {
	case !valid && strings.HasPrefix(value, resolvedAll):
		return "the form is " + resolvedAll + "<RFC 3339 time>=" + ResolvedSucceeded + " or =" + resolvedAbandoned
	case !valid:
		return "the form is <attempt id>=" + resolvedAccepted + ":<request id>, =" + ResolvedNotAccepted +
			", =" + ResolvedSucceeded + " or =" + resolvedAbandoned
	case resolved.AttemptID == "":
		return "no attempt was open for a resolution at that time, or the time is in the future"
	}
	named := attemptNamed(in, resolved.AttemptID)
	if named == nil {
		return noSuchAttempt
	}
	if why := WhyImpossible(named, value); why != "" {
		return why
	}
	switch {
	case !named.Phase.Ended():
		return "it was ignored, for example because the admission policy that checks it was missing when it was set. To " +
			"resolve the attempt, remove the annotation, and set it again"
	case !EndedByPerson(named):
		return "the outcome of the attempt that it names is already known"
	}
	return noSuchAttempt
}

const noSuchAttempt = "it names no attempt that can be resolved"

// attemptNamed returns the request of an object with this id, if it is open or the newest of its
// operation; nil if there is none.
func attemptNamed(in *Input, attemptID string) *v1alpha1.Request {
	all := slices.Concat(in.Subject.Record().OpenRequests(), newestRequests(in))
	if at := slices.IndexFunc(all, func(r *v1alpha1.Request) bool { return r.AttemptID == attemptID }); at >= 0 {
		return all[at]
	}
	return nil
}
