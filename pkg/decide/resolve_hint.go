// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

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

// TakesRequestID reports whether the carrier gives each request of an operation an id of its own.
// It gives none to an AppointmentCancel, and shows a change of a cancellation under the service's
// id: with any other number, the cancellation of another service would be polled.
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

// attemptNamed returns the request of an object with this id: an open one, or an operation's newest;
// nil if there is none.
func attemptNamed(in *Input, attemptID string) *v1alpha1.Request {
	all := slices.Concat(in.Subject.Record().OpenRequests(), newestRequests(in))
	if at := slices.IndexFunc(all, func(r *v1alpha1.Request) bool { return r.AttemptID == attemptID }); at >= 0 {
		return all[at]
	}
	return nil
}
