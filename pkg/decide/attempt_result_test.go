// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	isDone = v1alpha1.RequestPhase("")
	isOpen = v1alpha1.PhaseInProgress
	failed = v1alpha1.PhaseFailed
)

// statusesOf lists statuses of a resource in a response with HTTP status 200, with the phase of the
// request.
func statusesOf(inError v1alpha1.RequestPhase) map[string]v1alpha1.RequestPhase {
	return map[string]v1alpha1.RequestPhase{
		"COMPLETED": isDone, "": isDone, "DONE": isDone, "OPEN": isOpen, "IN_PROGRESS": isOpen,
		"IN_ERROR": inError, "IN_ERROR_RETRY": isOpen, "IN_ERROR_OTHER": isOpen, "FAILED": failed, "REJECTED": failed,
	}
}

// notJudged lists statuses that say nothing about the request.
func notJudged() map[string]v1alpha1.RequestPhase {
	return map[string]v1alpha1.RequestPhase{
		"OPEN": isDone, "REQUESTED": isDone, "IN_PROGRESS": isDone, "IN_ERROR": isDone, "IN_ERROR_RETRY": isDone,
		"COMPLETED": isDone, "ABORTED": isDone, "REJECTED": isDone, "": isDone,
	}
}

func TestTheStatusInAResultShowsWhetherTheRequestIsDone(t *testing.T) {
	t.Parallel()
	for operation, statuses := range map[v1alpha1.Operation]map[string]v1alpha1.RequestPhase{
		v1alpha1.OperationAggregationConversion:     statusesOf(isOpen),
		v1alpha1.OperationPlanChange:                statusesOf(failed),
		v1alpha1.OperationDSLStabilityProfileChange: statusesOf(failed),
		v1alpha1.OperationReclaim:                   statusesOf(failed),
		v1alpha1.OperationHealth:                    statusesOf(failed),
		v1alpha1.OperationFibreBuildCharge:          statusesOf(failed),
		v1alpha1.OperationPlanOptions:               statusesOf(failed),
		v1alpha1.OperationAppointmentSlots:          statusesOf(failed),
		v1alpha1.OperationAppointmentCancel:         statusesOf(failed),
		v1alpha1.OperationCancellationReschedule:    notJudged(),
		v1alpha1.OperationCancellationAbort:         notJudged(),
		v1alpha1.OperationOrderCreate:               notJudged(),
		v1alpha1.OperationDiagnosticTest: {
			"pending": isOpen, "in-progress": isOpen, "accepted": isOpen, "completed": isDone, "ended": isDone, "": isDone,
		},
	} {
		for status, want := range statuses {
			request := &v1alpha1.Request{Operation: operation, Phase: v1alpha1.PhaseInProgress}
			if got := phaseAt(request, status); got != want {
				t.Errorf("%s with the status %q is %q, want %q", operation, status, got, want)
			}
			request.EndedBy = v1alpha1.EndedByCarrier
			if got := phaseAt(request, status); got != isDone {
				t.Errorf("%s that has succeeded is %q because of the status %q", operation, got, status)
			}
		}
	}
}

// phaseAt returns the phase of a request by the status in its result; isDone if the status does not
// say that it is unfinished.
func phaseAt(request *v1alpha1.Request, status string) v1alpha1.RequestPhase {
	why := decide.NotDone(request, carrier.RequestSummary{Status: status, ErrorDetail: "no port is free"})
	if why == nil {
		return isDone
	}
	return why.Phase
}

// A status shows the carrier's text only of a request with a problem.
func TestTheCarriersProblemWithARequestIsShown(t *testing.T) {
	t.Parallel()
	const operation = v1alpha1.OperationDSLStabilityProfileChange
	for _, test := range []struct {
		result        carrier.RequestSummary
		shown, detail string
		message       string
	}{
		{result: carrier.RequestSummary{Status: "OPEN"}},
		{
			result: carrier.RequestSummary{Status: "IN_ERROR_RETRY", ErrorDetail: "no port is free"},
			shown:  "IN_ERROR_RETRY", detail: "no port is free",
		},
		{
			result: carrier.RequestSummary{Status: "IN_ERROR", ErrorDetail: "no port is free"},
			shown:  "IN_ERROR", detail: "no port is free",
			message: "the carrier answered 200, but the status of the request is IN_ERROR; no port is free",
		},
	} {
		request := &v1alpha1.Request{Operation: operation, CarrierStatus: "IN_ERROR_RETRY", ErrorDetail: "of before"}
		why := decide.NotDone(request, test.result)
		if request.CarrierStatus != test.shown || request.ErrorDetail != test.detail {
			t.Errorf("%s: shown are %q and %q", test.result.Status, request.CarrierStatus, request.ErrorDetail)
		}
		if message := decide.ErrorMessage(why.Error); test.message != "" && message != test.message {
			t.Errorf("%s: %q, want %q", test.result.Status, message, test.message)
		}
	}
}
