// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Unfinished is the actual state of a request that the carrier answered with 200.
type Unfinished struct {
	Phase v1alpha1.RequestPhase
	Error *v1alpha1.RequestError
}

// maxCarrierStatus is the maximum length of a carrier's status in a request, in runes.
const maxCarrierStatus = 64

// inErrorPrefix starts the statuses of a request that has an error and is still answered with 202:
// "the process continues once the issue is fixed" (spec §3).
const inErrorPrefix = string(carrier.AggregationInError)

// IsHeld reports whether an unfinished request waits at the carrier for an error to be fixed: its
// status begins with IN_ERROR, or it has an error detail.
func IsHeld(status, errorDetail string) bool {
	return strings.HasPrefix(status, inErrorPrefix) || errorDetail != ""
}

// NotDone returns why a request has not succeeded although the carrier answered 200, if the status
// in its result shows that, otherwise nil. It ignores cancellations, which have a status of their
// own, and requests that have already succeeded.
func NotDone(request *v1alpha1.Request, result carrier.RequestSummary) *Unfinished {
	if request.Operation.AltersCancellation() || hasSucceeded(request) {
		return nil
	}
	switch status := bounded(result.Status, maxCarrierStatus); {
	case strings.HasPrefix(status, inErrorPrefix):
		request.ErrorDetail = result.ErrorDetail
		return &Unfinished{Phase: v1alpha1.PhaseInProgress}
	case status == string(carrier.AggregationFailed), status == string(carrier.CancellationRejected):
		return &Unfinished{v1alpha1.PhaseFailed, because(joined(
			"the carrier answered 200, and the status of the request is "+status, result.ErrorDetail))}
	}
	return nil
}

// hasSucceeded reports whether the carrier has already confirmed that a request is done, so that
// its result is only read once more.
func hasSucceeded(request *v1alpha1.Request) bool { return request.EndedBy == v1alpha1.EndedByCarrier }

// Finish records the carrier's result of a request: the new values, and differences from the quote.
// It returns why the request has not succeeded in spite of the result, or nil.
func Finish(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time, days *time.Location,
) *Unfinished {
	result, err := carrier.DecodeSummary(carrier.Operation(request.Operation), body)
	if err != nil {
		return &Unfinished{v1alpha1.PhaseSubmitting, RequestErrorOf(err)}
	}
	if !MatchesTarget(service, request, result) {
		// The Location belongs to something else, so the outcome has to be verified.
		return notOurs(request, fmt.Sprintf("request %d of service %d", result.ID, result.ServiceID))
	}
	request.CarrierStatus = bounded(result.Status, maxCarrierStatus)
	if why := NotDone(request, result); why != nil {
		return why
	}
	if request.Operation.AltersCancellation() {
		return finishCancellation(service, request, body, now, days)
	}
	if request.Operation == v1alpha1.OperationPlanChange {
		return finishPlanChange(service, request, body, now)
	}
	Reached(service, request, v1alpha1.SourceChangeResult, now)
	return nil
}

// finishPlanChange records plan, term and SLA from the result of a plan change. For term and SLA
// this is the only read. If the result differs from what was requested, only the differing values
// are recorded and the request has failed: the remaining change is the same request, which is not
// sent again automatically.
func finishPlanChange(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time,
) *Unfinished {
	result, err := carrier.DecodePlanChange(body)
	if err != nil { // it has succeeded, but the details and the charges are unknown
		request.Warning = ""
		Reached(service, request, v1alpha1.SourceChangeResult, now)
		return nil
	}
	request.Warning = FeeMismatch(request.Changes(), request.Target.NTDOption, result)
	if hasSucceeded(request) {
		Reached(service, request, v1alpha1.SourceChangeResult, now)
		return nil
	}
	differing := differingValues(service, request.Target, result, now)
	if len(differing) > 0 {
		return &Unfinished{v1alpha1.PhaseFailed, because(bounded(
			"the carrier says that it is done, and its result shows "+strings.Join(differing, ", "), maxMessage))}
	}
	Reached(service, request, v1alpha1.SourceChangeResult, now)
	if shown := bounded(result.SLA.SLA, maxNameText); request.Target.RestorationSLA == "" && shown != "" {
		carrierState(service).RestorationSLA = known(shown, v1alpha1.SourceChangeResult, now)
	}
	return nil
}

// differingValues records and returns the values of a result that differ from the target.
func differingValues(
	service *v1alpha1.BroadbandService, target v1alpha1.RequestTarget, result carrier.PlanChangeResult, now time.Time,
) []string {
	if target.Plan == "" {
		return nil // the target was lost with the ledger
	}
	state := carrierState(service)
	var differing []string
	for _, value := range []struct {
		what, asked, shown string
		held               **v1alpha1.KnownValue
	}{
		{"plan", target.Plan, result.Plan.Plan, &state.Plan},
		{"term", strconv.Itoa(int(target.Term)), monthsOf(result.Plan.Term), &state.Term},
		{nameOfSLA, target.RestorationSLA, result.SLA.SLA, &state.RestorationSLA},
	} {
		if value.asked == "" || value.shown == "" || sameName(value.shown, value.asked) {
			continue
		}
		shown := bounded(value.shown, maxNameText)
		*value.held = known(shown, v1alpha1.SourceChangeResult, now)
		differing = append(differing, fmt.Sprintf("%s %q, where %q was asked for", value.what, shown, value.asked))
	}
	return differing
}

// monthsOf returns the months of a term as the carrier writes it: "12", or "12 months".
func monthsOf(term string) string {
	term = strings.TrimSpace(term)
	end := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return term
	}
	return term[:end]
}

// finishCancellation records the cancellation that resulted from a reschedule or abort. The carrier
// may report success and show something else.
func finishCancellation(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time, days *time.Location,
) *Unfinished {
	found, err := carrier.DecodeCancellation(body)
	if err != nil {
		return &Unfinished{v1alpha1.PhaseSubmitting, RequestErrorOf(err)}
	}
	TakeCancellation(service, found, now, days)
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
