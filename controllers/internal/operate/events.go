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
	eventRefused      = "RequestRejected"
)

// Event reasons that bear the specification's name of what happened (section 6).
const (
	eventPlanChanged       = "ServicePlanChanged"
	eventPlanRejected      = "ServicePlanChangeRejected"
	eventSLAChanged        = "ServiceRestorationSlaChanged"
	eventAggregated        = "ServiceAggregationModified"
	eventAggregationFailed = "ServiceAggregationModificationFailed"
	eventProfileChanged    = "ServiceDslStabilityProfileChanged"
)

// eventOf names the Event of a request that has changed, and whether it is good news.
func eventOf(fact Fact, request v1alpha1.Request) (reason string, normal bool) {
	switch request.Phase {
	case v1alpha1.PhaseSucceeded:
		return succeeded(request), true
	case v1alpha1.PhaseFailed, v1alpha1.PhaseRejected:
		return failed(request), false
	case v1alpha1.PhaseSubmitting:
		return eventAnswerLost, false
	case v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseAbandoned:
	}
	return fact.Event, fact.Normal
}

// succeeded: an operation has one event for its success, a plan change two.
func succeeded(request v1alpha1.Request) string {
	switch target := request.Target; {
	case target.AggregationMethod != "":
		return eventAggregated
	case target.DSLStabilityProfile != "":
		return eventProfileChanged
	case target.RestorationSLA != "" && target.Plan == request.Before.Plan:
		return eventSLAChanged
	}
	return eventPlanChanged
}

// failed: the specification names the failure of two operations.
func failed(request v1alpha1.Request) string {
	switch target := request.Target; {
	case target.AggregationMethod != "":
		return eventAggregationFailed
	case target.Plan != "":
		return eventPlanRejected
	}
	return eventRefused
}
