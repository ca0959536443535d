// SPDX-License-Identifier: Apache-2.0

package operate

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// Event reasons of our own.
const (
	eventAccepted     = "RequestAccepted"
	eventAnswerLost   = "AnswerLost"
	eventNotSent      = "RequestNotSent"
	eventNotProcessed = "RequestNotProcessed"
	eventUnknown      = "OutcomeUnknown"
	eventResolved     = "OutcomeResolved"
)

// Event reasons that bear the specification's name of what happened (section 6).
const (
	eventPlanChanged       = "ServicePlanChanged"
	eventPlanRejected      = "ServicePlanChangeRejected"
	eventSLAChanged        = "ServiceRestorationSlaChanged"
	eventAggregated        = "ServiceAggregationModified"
	eventAggregationFailed = "ServiceAggregationModificationFailed"
)

// eventOf names the Event of a request that has changed, and whether it is good news.
func eventOf(fact Fact, request v1alpha1.Request) (reason string, normal bool) {
	switch request.Phase {
	case v1alpha1.PhaseSucceeded:
		return succeeded(request), true
	case v1alpha1.PhaseFailed, v1alpha1.PhaseRejected:
		return failed(request.Operation), false
	case v1alpha1.PhaseSubmitting:
		return eventAnswerLost, false
	case v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseAbandoned:
	}
	return fact.Event, fact.Normal
}

func succeeded(request v1alpha1.Request) string {
	switch {
	case request.Operation == v1alpha1.OperationAggregationConversion:
		return eventAggregated
	case request.Target.RestorationSLA != "" && request.Target.Plan == request.Before.Plan:
		return eventSLAChanged
	}
	return eventPlanChanged
}

func failed(operation v1alpha1.Operation) string {
	if operation == v1alpha1.OperationAggregationConversion {
		return eventAggregationFailed
	}
	return eventPlanRejected
}
