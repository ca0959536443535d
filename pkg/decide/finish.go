// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Unfinished says what a request is in spite of the carrier's 200.
type Unfinished struct {
	Phase v1alpha1.RequestPhase
	Error *v1alpha1.RequestError
}

// maxCarrierStatus is how much of a carrier's status a request shows, in runes.
const maxCarrierStatus = 64

// Finish takes over the carrier's result of a request: what it brought about, and what
// was not as quoted. It returns why the request has not succeeded for all that, or nil.
func Finish(service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time) *Unfinished {
	result, err := carrier.DecodeSummary(carrier.Operation(request.Operation), body)
	if err != nil {
		return &Unfinished{v1alpha1.PhaseSubmitting, RequestErrorOf(err)}
	}
	if !MatchesTarget(service, request, result) {
		// Its handle leads elsewhere, and what became of it is to be verified.
		return &Unfinished{v1alpha1.PhaseSubmitting, &v1alpha1.RequestError{
			Code: v1alpha1.ReasonHandleLost, Message: fmt.Sprintf(
				"the Location %s leads to request %d of service %d, which is not ours",
				request.Location, result.ID, result.ServiceID),
		}}
	}
	request.CarrierStatus = bounded(result.Status, maxCarrierStatus)
	if request.Operation.AltersCancellation() {
		return finishCancellation(service, request, body, now)
	}
	request.Warning = mismatchOf(request, body)
	Reached(service, request, v1alpha1.SourceChangeResult, now)
	return nil
}

// finishCancellation takes over the cancellation that a reschedule or abort led to. The
// carrier may say that it is done and show something else.
func finishCancellation(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time,
) *Unfinished {
	found, err := carrier.DecodeCancellation(body)
	if err != nil {
		return &Unfinished{v1alpha1.PhaseSubmitting, RequestErrorOf(err)}
	}
	TakeCancellation(service, found, now)
	known := service.Status.Carrier.Cancellation
	switch {
	case AsWanted(request, known):
		return nil
	case known.RequestedOn != request.Before.RequestedOn:
		return &Unfinished{v1alpha1.PhaseAbandoned, because("another cancellation has been requested since")}
	}
	return &Unfinished{v1alpha1.PhaseFailed, because(fmt.Sprintf(
		"the carrier says that it is done, and shows the cancellation %s for %s",
		orElse(known.Status, "of no status"), orElse(known.RequestDate, "no date")))}
}

// mismatchOf compares the fees of a plan change with those that were shown before it.
func mismatchOf(request *v1alpha1.Request, body []byte) string {
	if request.Operation != v1alpha1.OperationPlanChange {
		return ""
	}
	result, err := carrier.DecodePlanChange(body)
	if err != nil {
		return "" // it has succeeded all the same: what it cost is not known
	}
	return FeeMismatch(changesBy(request.Plan, request.Operation), request.Target.NTDOption, result)
}
