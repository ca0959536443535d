// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The outcomes without a request id, as a person states them.
const (
	notAccepted = decide.ResolvedNotAccepted
	succeeded   = "Succeeded"
	abandoned   = "Abandoned"
)

// ResolvedOutcomes returns the outcomes that a person can state.
func ResolvedOutcomes() []string {
	return []string{"Accepted=", notAccepted, succeeded, abandoned}
}

// ParseOutcome returns Accepted=998877 as the annotation writes it: Accepted:998877.
func ParseOutcome(text string) (string, error) {
	word, id, named := strings.Cut(strings.Replace(text, "=", ":", 1), ":")
	outcome := word
	if named {
		outcome = word + ":" + id
	}
	if _, valid := decide.ParseResolution("attempt=" + outcome); !valid {
		return "", fmt.Errorf("the outcome %q is none of Accepted=<request id>, NotAccepted, Succeeded, Abandoned", text)
	}
	return outcome, nil
}

// ToResolve chooses the request to resolve. Without an outcome, it only shows what to ask.
func ToResolve(attempt, outcome string) Chooser {
	return func(object fleet.Object) (choice *Choice, why string) {
		open := resolvableOf(object, attempt)
		switch {
		case len(open) == 0:
			return nil, fmt.Sprintf("no request of it waits for a resolution (%s)", Ready(object).Reason)
		case len(open) > 1:
			return nil, fmt.Sprintf("%d of its requests wait for a resolution: name one with --attempt, such as %s",
				len(open), open[0].AttemptID)
		}
		choice = &Choice{
			Reference: ReferenceTo(object), Value: open[0].AttemptID + "=" + outcome, What: DescribeRequest(open[0]),
			Object: object, Request: open[0],
		}
		if why := whyImpossible(choice, outcome); why != "" {
			return nil, why
		}
		if outcome != "" && object.GetAnnotations()[v1alpha1.AnnotationResolve] == choice.Value {
			choice.Outcome, choice.Done = alreadySet(object, v1alpha1.AnnotationResolve), true
		}
		return choice, ""
	}
}

// whyImpossible returns why an outcome would have no effect; "" if it would, or is not given.
func whyImpossible(choice *Choice, outcome string) string {
	switch {
	case outcome == "":
		return ""
	case !isRejected(choice.Object, &choice.Request):
	case outcome == succeeded:
		return ""
	case outcome != notAccepted:
		return "the carrier has rejected this order after accepting it, so only two outcomes have an effect: " +
			"NotAccepted, once the carrier has confirmed that the order is closed, and Succeeded, if it says that the " +
			"order is valid"
	}
	return decide.WhyImpossible(&choice.Request, choice.Value)
}

// resolvableOf returns the requests with an unknown outcome, those that have taken too long or lost
// their response, and an order that the carrier has rejected.
func resolvableOf(object fleet.Object, attempt string) []v1alpha1.Request {
	var open []v1alpha1.Request
	for _, request := range RequestsOf(object) {
		named := attempt == "" || request.AttemptID == attempt
		if named && (AsksPerson(request) || isLate(object, request) || isRejected(object, &request)) {
			open = append(open, request)
		}
	}
	return open
}

func isLate(object fleet.Object, request v1alpha1.Request) bool {
	reason := Ready(object).Reason
	overdue := reason == v1alpha1.ReasonOverdue || reason == v1alpha1.ReasonHandleLost
	return request.Phase == v1alpha1.PhaseInProgress && overdue ||
		request.Phase == v1alpha1.PhaseSubmitting && request.Error != nil
}

// Question is what a person asks about a request. The ledger, which may be nil, knows most of it.
func Question(choice *Choice, ledger *v1alpha1.RequestLedger) []Fact {
	attempt, _, _ := strings.Cut(choice.Value, "=")
	requests := RequestsOf(choice.Object)
	if ledger != nil {
		requests = append(slices.Clone(requests), ledger.Spec.Open...)
	}
	var asked v1alpha1.Request
	for _, request := range requests {
		if request.AttemptID == attempt {
			asked = request // the one from the ledger comes last
		}
	}
	facts := []Fact{
		{"about", v1alpha1.CarrierName(choice.Object)},
		{"operation", operationOf(&asked)},
		{"requested", DescribeTarget(asked.Target)},
		{"sent at", Time(asked.SubmittedAt)},
		{"sent to", asked.Login.BaseURL},
		{"as client", asked.Login.ClientName},
		{"plan before", asked.Before.Plan},
		{factLocation, asked.Location},
		{"attempt", asked.AttemptID},
	}
	if asked.Repeats > 0 {
		facts = append(facts, Fact{"sent before", Counted(int(asked.Repeats), "time") + " without a response"})
	}
	if asked.Error != nil {
		facts = append(facts, Fact{"what happened", asked.Error.Message})
	}
	var known []Fact
	for _, fact := range facts {
		if fact.Value != "" {
			known = append(known, fact)
		}
	}
	return known
}

// Outcome is what the carrier may say, how a person states it, and what the operator then does.
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

// outcomesOfAll returns the outcomes of the request that represents all of a lost ledger.
func outcomesOfAll() []Outcome {
	return []Outcome{
		{"a plan change is in progress as number 998877", acceptedAs, "it is polled under this number until it ends"},
		{"each request that it received shows in the service", notAccepted, "what differs is sent"},
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
