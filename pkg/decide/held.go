// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Unfinished is the actual state of a request that has not succeeded although the carrier answered
// 200.
type Unfinished struct {
	Phase v1alpha1.RequestPhase
	Error *v1alpha1.RequestError
}

// inErrorPrefix starts the statuses of a request that has an error and is still answered with 202:
// "the process continues once the issue is fixed" (spec §3).
const inErrorPrefix = string(carrier.AggregationInError)

// IsHeld reports whether an unfinished request waits at the carrier for an error to be fixed: its
// status begins with IN_ERROR, or it has an error detail.
func IsHeld(status, errorDetail string) bool {
	return strings.HasPrefix(status, inErrorPrefix) || errorDetail != ""
}

// NotDone returns why a request has not succeeded although the carrier answered 200. It returns nil
// if the status in the result does not show that. It ignores cancellations, which have a status of
// their own, and requests that have already succeeded.
func NotDone(request *v1alpha1.Request, result carrier.RequestSummary) *Unfinished {
	if request.Operation.AltersCancellation() || HasSucceeded(request) {
		return nil
	}
	switch status := result.Status; {
	case strings.HasPrefix(status, inErrorPrefix):
		request.ErrorDetail = result.ErrorDetail
		return &Unfinished{Phase: v1alpha1.PhaseInProgress}
	case status == string(carrier.AggregationFailed), status == string(carrier.CancellationRejected):
		return &Unfinished{v1alpha1.PhaseFailed, Because(JoinTexts(
			"the carrier answered 200, but the status of the request is "+status, result.ErrorDetail))}
	}
	return nil
}

// HasSucceeded reports whether the carrier has already confirmed that a request is done. All that
// remains then is to read its result once more.
func HasSucceeded(request *v1alpha1.Request) bool { return request.EndedBy == v1alpha1.EndedByCarrier }

// MonthsOf returns the months of a term as the carrier writes it: "12", or "12 months".
func MonthsOf(term string) string {
	term = strings.TrimSpace(term)
	end := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return term
	}
	return term[:end]
}

// NotOurs reports a result of another request: "a 200 whose id or service id differs: reason
// HandleLost, then the class applies".
func NotOurs(request *v1alpha1.Request, what string) *Unfinished {
	return &Unfinished{v1alpha1.PhaseSubmitting, &v1alpha1.RequestError{
		Code:    v1alpha1.ReasonHandleLost,
		Message: fmt.Sprintf("the Location %s returns %s, which does not belong to this request", request.Location, what),
	}}
}
