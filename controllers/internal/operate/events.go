// SPDX-License-Identifier: Apache-2.0

package operate

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// Event reasons defined by the operator.
const (
	eventAccepted      = "RequestAccepted"
	eventResponseLost  = "ResponseLost"
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
	eventUnrecorded    = "ResponseNotRecorded"

	eventStatusCut     = "StatusCut"
	eventStatusRefused = "StatusRefused"

	eventTimeAhead = "TimeInFuture"
)

// Event reasons that the specification names (spec §6).
const (
	eventPlanChanged       = "ServicePlanChanged"
	eventPlanRejected      = "ServicePlanChangeRejected"
	eventSLAChanged        = "ServiceRestorationSlaChanged"
	eventAggregated        = "ServiceAggregationModified"
	eventAggregationFailed = "ServiceAggregationModificationFailed"
	eventProfileChanged    = "ServiceDslStabilityProfileChanged"
	eventReclaimed         = "ServiceReclaimActivated"
)

const eventContradicted = "OutcomeContradicted"
