// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// statesOf returns the documented statuses of an operation's resource and their meaning (spec §2
// and §3). If not all of them are documented, the statuses of other resources are added.
func statesOf(operation carrier.Operation) map[string]carrier.OutcomeState {
	states := map[string]carrier.OutcomeState{
		"COMPLETED":      carrier.Done,
		"OPEN":           carrier.Pending,
		"IN_PROGRESS":    carrier.Pending,
		"IN_ERROR_RETRY": carrier.Pending, // the carrier tries again
		"IN_ERROR":       carrier.Failed,
		"FAILED":         carrier.Failed,
		"REJECTED":       carrier.Failed,
	}
	switch operation { //nolint:exhaustive // the resources of the others have these statuses
	case carrier.AggregationConversion:
		states["IN_ERROR"] = carrier.Pending // the carrier continues once the error is fixed (spec §3)
	case carrier.DiagnosticTest: // its status is the name of its newest stage
		return map[string]carrier.OutcomeState{
			string(carrier.DiagnosticPending):    carrier.Pending,
			string(carrier.DiagnosticInProgress): carrier.Pending,
			string(carrier.DiagnosticAccepted):   carrier.Pending,
			string(carrier.DiagnosticCompleted):  carrier.Done,
		}
	case carrier.CancellationReschedule, carrier.CancellationAbort, carrier.OrderCreate:
		// The status is that of the cancellation, not of the request that moves or aborts it; and
		// the carrier accepts an order with the status OPEN.
		return nil
	}
	return states
}

// StateOf returns what the status in a response with HTTP status 200 says about the request: Pending
// if the carrier has not finished it, Failed if it has failed. Anything else is Done, even a status
// that is not documented or absent, because the specification leaves the set of statuses open.
func StateOf(operation carrier.Operation, status string) carrier.OutcomeState {
	if state, documented := statesOf(operation)[status]; documented {
		return state
	}
	if strings.HasPrefix(status, inErrorPrefix+"_") && statesOf(operation) != nil {
		return carrier.Pending // an error that has not ended the request, such as IN_ERROR_RETRY
	}
	return carrier.Done
}

// inErrorPrefix starts the statuses of a request that has an error.
const inErrorPrefix = carrier.AggregationInError

// IsOnHold reports whether a request in progress waits at the carrier for an error to be fixed: its
// status begins with IN_ERROR, or it has an error detail.
func IsOnHold(status, errorDetail string) bool {
	return strings.HasPrefix(status, inErrorPrefix) || errorDetail != ""
}

// NoteInProgress records what the carrier says about a request in progress: its status only if it has
// a problem, because other progress needs no write.
func NoteInProgress(request *v1alpha1.Request, result carrier.RequestSummary) {
	request.CarrierStatus, request.ErrorDetail = "", ""
	if IsOnHold(result.Status, result.ErrorDetail) {
		request.CarrierStatus, request.ErrorDetail = result.Status, result.ErrorDetail
	}
}

// FailedStatus describes a result whose status says that the request has failed.
func FailedStatus(result carrier.RequestSummary) string {
	return JoinTexts("the carrier answered 200, but the status of the request is "+result.Status, result.ErrorDetail)
}

// Unfinished is the actual state of a request that has not succeeded although the carrier answered
// 200.
type Unfinished struct {
	Phase v1alpha1.RequestPhase
	Error *v1alpha1.RequestError
}

// NotDone records the status in a result, and returns why the request has not succeeded although the
// carrier answered 200: it is still in progress, or it has failed. It returns nil if the status does
// not show that, and for a request that has already succeeded.
func NotDone(request *v1alpha1.Request, result carrier.RequestSummary) *Unfinished {
	request.CarrierStatus, request.ErrorDetail = result.Status, result.ErrorDetail
	if HasSucceeded(request) {
		return nil
	}
	switch StateOf(carrier.Operation(request.Operation), result.Status) {
	case carrier.Pending:
		NoteInProgress(request, result)
		return &Unfinished{Phase: v1alpha1.PhaseInProgress}
	case carrier.Failed:
		return &Unfinished{v1alpha1.PhaseFailed, Because(FailedStatus(result))}
	case carrier.Done:
	}
	return nil
}

// HasSucceeded reports whether the carrier has already confirmed that a request is done. All that
// remains then is to read its result once more.
func HasSucceeded(request *v1alpha1.Request) bool { return request.EndedBy == v1alpha1.EndedByCarrier }

// NotOurs reports a result that belongs to another request, because its id or its service number is
// different. The next step depends on the class of the request, as after a lost Location.
func NotOurs(request *v1alpha1.Request, what string) *Unfinished {
	return &Unfinished{v1alpha1.PhaseSubmitting, &v1alpha1.RequestError{
		Code:    v1alpha1.ReasonHandleLost,
		Message: fmt.Sprintf("the Location %s returns %s, which does not belong to this request", request.Location, what),
	}}
}

// HandleOf returns the handle of a recorded request, or an error if the carrier has given it none.
func HandleOf(request *v1alpha1.Request) (carrier.Handle, error) {
	return carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Location)
}

// MayBeResultOf reports whether a result with this id can be that of a request. A result with
// another id cannot. A result without an id (0) can, because fields may be missing.
func MayBeResultOf(request *v1alpha1.Request, id int64) bool {
	handle, err := HandleOf(request)
	return id == 0 || err == nil && handle.HasID(id)
}

// Stated is a value that a request asks for, and the value in the carrier's result. Either is empty if
// the request or the result does not have it.
type Stated struct{ What, Asked, Shown string }

// CompareResult records which values of the carrier's result differ from the requested values, and
// reports whether any do. The request has still succeeded: the carrier says so, and may charge for
// it.
func CompareResult(request *v1alpha1.Request, values []Stated) bool {
	var differing []string
	for _, value := range values {
		if value.Asked != "" && value.Shown != "" && !SameName(value.Shown, value.Asked) {
			differing = append(differing, fmt.Sprintf("%s %q instead of %q",
				value.What, Bounded(value.Shown, MaxNameText), Bounded(value.Asked, MaxNameText)))
		}
	}
	if len(differing) > 0 {
		request.Error = &v1alpha1.RequestError{
			Code:    v1alpha1.ReasonResultDiffers,
			Message: Bounded("the carrier's result shows "+strings.Join(differing, ", "), MaxMessage),
		}
	}
	return len(differing) > 0
}

// ResultDiffers reports whether a request has succeeded with another value than requested. The
// request is not sent again until a person decides, not even for a newer spec or to correct drift.
func ResultDiffers(request *v1alpha1.Request) bool {
	return request != nil && request.Phase == v1alpha1.PhaseSucceeded && request.Error != nil &&
		request.Error.Code == v1alpha1.ReasonResultDiffers
}

// HasCandidate reports whether a request has a Location that may be its own: its response named it,
// but did not show that the carrier had accepted the request.
func HasCandidate(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseSubmitting && request.Candidate != ""
}

// CandidateOf returns the handle of a request's candidate Location: see [HasCandidate].
func CandidateOf(request *v1alpha1.Request) (carrier.Handle, error) {
	return carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Candidate)
}
