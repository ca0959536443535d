// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Outcome is an outcome that a person can state for a request: what the carrier says, how it is
// stated, and what the operator does then.
type Outcome struct {
	Says, Stated, Then string
}

// OutcomesOf returns the outcomes that can be stated for the request of a choice.
func OutcomesOf(choice *Choice) []Outcome {
	request := &choice.Request
	if isRejected(choice.Object, request) {
		return []Outcome{
			{"it has closed the order", notAccepted, "the order is sent again"},
			{"the order is valid after all", succeeded, "the rejection is removed, and nothing is sent"},
		}
	}
	outcomes := outcomesOf(request)
	return slices.DeleteFunc(outcomes, func(one Outcome) bool {
		outcome, err := ParseOutcome(one.Stated)
		return err != nil || decide.WhyImpossible(request, request.AttemptID+"="+outcome) != ""
	})
}

// acceptedAs states that a request was accepted under a number, such as this one.
const acceptedAs = "Accepted=998877"

// outcomesOf returns the outcomes of an operation, including those that this request cannot have.
func outcomesOf(request *v1alpha1.Request) []Outcome {
	if request.Operation == v1alpha1.OperationOrderCreate {
		return []Outcome{
			{"it has the order as number 998877", acceptedAs, "the order counts as accepted under this number"},
			{"it does not have the order", notAccepted, "the order is sent again"},
			{
				"it has the order, and you do not know the number", succeeded,
				"the order counts as accepted, and its number stays unknown",
			},
			{"the order is closed, or you give it up", abandoned, "this is final: the customerReference cannot be used again"},
		}
	}
	if decide.StandsForAll(request) {
		return outcomesOfAll()
	}
	outcomes := []Outcome{
		{"it accepted the request as number 998877", acceptedAs, "it is polled under this number until it ends"},
		{"it never received the request", notAccepted, "it is sent again"},
		{"it has completed the request", succeeded, afterSuccess(request.Operation)},
		{"anything else, and you no longer want it", abandoned, afterAbandoning(request.Operation)},
	}
	if request.Phase == v1alpha1.PhaseLateAcceptance {
		outcomes[2].Says = "the request that it accepted is valid"
		outcomes[3].Says = "the request was cancelled, or is not valid"
	}
	return outcomes
}

// outcomesOfAll returns the outcomes of the request that stands for whatever was sent before the
// ledger of a service was lost.
func outcomesOfAll() []Outcome {
	return []Outcome{
		{"a plan change is in progress as number 998877", acceptedAs, "it is polled under this number until it ends"},
		{"it has received nothing that the service does not show", notAccepted, "what differs is sent"},
		{
			"the service is as the manifest declares", succeeded,
			"the declared values that cannot be read are recorded as the carrier's",
		},
		{
			"anything else, and you no longer want it", abandoned,
			"what differs is sent only after a change of the spec, or with the annotation retry",
		},
	}
}

func afterSuccess(operation v1alpha1.Operation) string {
	switch {
	case slices.Contains([]v1alpha1.Operation{
		v1alpha1.OperationAggregationConversion, v1alpha1.OperationPlanChange, v1alpha1.OperationDSLStabilityProfileChange,
	}, operation):
		return "the requested values are recorded as the carrier's"
	case operation == v1alpha1.OperationAppointmentCancel:
		return "the appointment-request counts as cancelled"
	case isOneShot(operation):
		return "the object is done, and its result stays unknown"
	}
	return "it counts as done"
}

func afterAbandoning(operation v1alpha1.Operation) string {
	switch {
	case operation == v1alpha1.OperationAppointmentCancel:
		return "the appointment-request is left at the carrier as it is"
	case isOneShot(operation):
		return "it is sent again only with the annotation retry"
	}
	return "it is sent again only after a change of the spec, or with the annotation retry"
}

// isOneShot reports whether an operation is that of an object with one request and a fixed spec.
func isOneShot(operation v1alpha1.Operation) bool {
	return slices.Contains([]v1alpha1.Operation{
		v1alpha1.OperationDiagnosticTest, v1alpha1.OperationFibreBuildCharge, v1alpha1.OperationPlanOptions,
		v1alpha1.OperationHealth,
	}, operation)
}

// isRejected reports whether a request is an order that the carrier accepted and then rejected.
func isRejected(object any, request *v1alpha1.Request) bool {
	order, is := object.(*v1alpha1.ServiceOrder)
	return is && order.Status.Rejection != nil && request.Phase == v1alpha1.PhaseSucceeded
}
