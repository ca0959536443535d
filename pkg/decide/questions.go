// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maxQuestions: "Queries are bounded in number per wish (3, then the object says so)" (R20). Only
// the queries that the carrier has accepted, or may have accepted, count.
const maxQuestions = 3

// isQuestion reports whether a request is only a query.
func isQuestion(request *v1alpha1.Request) bool {
	return request != nil && ClassOf(request.Operation, request.Target) == carrier.ClassQuery
}

// cameToNothing reports whether the recorded request is a query that was not answered.
func cameToNothing(last *v1alpha1.Request) bool {
	return isQuestion(last) && last.Phase == v1alpha1.PhaseNotProcessed
}

// exhausted reports whether a query stayed unanswered so often that it is not repeated
// automatically.
func exhausted(last *v1alpha1.Request) bool {
	return cameToNothing(last) && last.Repeats+1 >= maxQuestions
}

// questionsBefore counts the unanswered queries for the same change. A rejection is an answer and
// does not change the count.
func questionsBefore(in *Input, want DesiredChange) int32 {
	last := in.Subject.RequestOf(want.Operation)
	switch {
	case !isQuestion(last) || attemptNumber(in, want) == 1 || exhausted(last) || AsksAgain(in, last):
		return 0
	case cameToNothing(last):
		return last.Repeats + 1
	case last.Phase == v1alpha1.PhaseRejected:
		return last.Repeats
	}
	return 0
}

// unanswered is the message about an exhausted query.
func unanswered(last *v1alpha1.Request, way string) string {
	return fmt.Sprintf("%s was sent %d times, and the carrier has not answered it (the last time: %s): "+
		"it is not sent again by itself. Ask the carrier; %s",
		last.Operation, last.Repeats+1, ErrorMessage(last.Error), way)
}

// NamesNoPlan reports that a health answer does not contain the plan.
func NamesNoPlan(health carrier.HealthResult) bool { return PlanInHealth(health) == "" }

// PlanInHealth returns the plan, limited to what a status can hold.
func PlanInHealth(health carrier.HealthResult) string { return Bounded(health.Plan, 200) }

// attemptNumber counts the attempts at the same change of the same generation.
func attemptNumber(in *Input, want DesiredChange) int32 {
	last := in.Subject.RequestOf(want.Operation)
	if last == nil || last.Generation != in.Subject.GetGeneration() || last.BodyHash != want.BodyHash() {
		return 1
	}
	if last.Phase == v1alpha1.PhaseSucceeded {
		return 1
	}
	return last.Attempt + 1
}
