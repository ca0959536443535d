// SPDX-License-Identifier: Apache-2.0

package operate

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// Event reasons defined by the operator.
const (
	eventAccepted      = "RequestAccepted"
	eventAnswerLost    = "AnswerLost"
	eventNotSent       = "RequestNotSent"
	eventNotProcessed  = "RequestNotProcessed"
	eventUnknown       = "OutcomeUnknown"
	eventResolved      = "OutcomeResolved"
	eventRefused       = "RequestRejected"
	eventSucceeded     = "RequestSucceeded"
	eventAbandoned     = "RequestAbandoned"
	eventRescheduled   = "CancellationRescheduled"
	eventAborted       = "CancellationAborted"
	eventResultDiffers = v1alpha1.ReasonResultDiffers
	eventOddLocation   = "OddLocation"
	eventLate          = "LateAcceptance"
	eventUnrecorded    = "AnswerNotRecorded"

	eventStatusCut     = "StatusCut"
	eventStatusRefused = "StatusRefused"

	eventTimeAhead = "TimeInFuture"
)

// Event reasons named by the specification (section 6).
const (
	eventPlanChanged       = "ServicePlanChanged"
	eventPlanRejected      = "ServicePlanChangeRejected"
	eventSLAChanged        = "ServiceRestorationSlaChanged"
	eventAggregated        = "ServiceAggregationModified"
	eventAggregationFailed = "ServiceAggregationModificationFailed"
	eventProfileChanged    = "ServiceDslStabilityProfileChanged"
	eventReclaimed         = "ServiceReclaimActivated"
)

// eventOf returns the Event reason for a request that has changed, and whether the Event is of type
// Normal.
func eventOf(fact Fact, request v1alpha1.Request) (reason string, normal bool) {
	switch request.Phase {
	case v1alpha1.PhaseSucceeded:
		return succeeded(request), true
	case v1alpha1.PhaseFailed, v1alpha1.PhaseRejected:
		return endingOf(request.Operation).failed, false
	case v1alpha1.PhaseSubmitting:
		return eventAnswerLost, false
	case v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseLateAcceptance,
		v1alpha1.PhaseRepeated:
	}
	return fact.Event, fact.Normal
}

// ended has the Event reasons for success and failure of an operation.
type ended struct {
	operation         v1alpha1.Operation
	succeeded, failed string
}

// endings lists the operations with Event reasons of their own. Most have one for success only; the
// specification names a failure reason for two.
func endings() []ended {
	return []ended{
		{v1alpha1.OperationPlanChange, eventPlanChanged, eventPlanRejected},
		{v1alpha1.OperationAggregationConversion, eventAggregated, eventAggregationFailed},
		{v1alpha1.OperationDSLStabilityProfileChange, eventProfileChanged, eventRefused},
		{v1alpha1.OperationReclaim, eventReclaimed, eventRefused},
		{v1alpha1.OperationCancellationReschedule, eventRescheduled, eventRefused},
		{v1alpha1.OperationCancellationAbort, eventAborted, eventRefused},
	}
}

func endingOf(operation v1alpha1.Operation) ended {
	for _, e := range endings() {
		if e.operation == operation {
			return e
		}
	}
	return ended{operation, eventSucceeded, eventRefused}
}

// succeeded returns the Event reason for a success. A plan change with the same plan is an SLA
// change.
func succeeded(request v1alpha1.Request) string {
	if request.Target.RestorationSLA != "" && request.Target.Plan == request.Before.Plan {
		return eventSLAChanged
	}
	return endingOf(request.Operation).succeeded
}
