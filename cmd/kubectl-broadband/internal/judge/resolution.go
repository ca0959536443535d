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

// resolvableOf returns the requests of an object that a person may resolve: those whose outcome is
// unknown, those that have taken too long or lost their response, and an order that the carrier has
// rejected.
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

// Question is what a person asks the carrier about a request. The ledger knows more about the
// request than the status; it is nil if there is none, or if the person may not read it.
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
