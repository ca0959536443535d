// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maxQuestions: "Queries are bounded in number per wish (3, then the object says so)" (R20). Those
// count that the carrier has taken, or may have taken.
const maxQuestions = 3

// isQuestion says whether a request only asks.
func isQuestion(request *v1alpha1.Request) bool {
	return request != nil && ClassOf(request.Operation, request.Target) == carrier.ClassQuery
}

// cameToNothing says whether a question is on record that was not answered.
func cameToNothing(last *v1alpha1.Request) bool {
	return isQuestion(last) && last.Phase == v1alpha1.PhaseNotProcessed
}

// exhausted says whether nothing came of a question so often that it is not asked again by itself.
func exhausted(last *v1alpha1.Request) bool {
	return cameToNothing(last) && last.Repeats+1 >= maxQuestions
}

// questionsBefore counts the questions for the same of which nothing came. A refusal is an answer, and
// leaves the count as it is.
func questionsBefore(in *Input, want desiredChange) int32 {
	last := in.Subject.RequestOf(want.operation)
	switch {
	case !isQuestion(last) || attemptNumber(in, want) == 1 || exhausted(last) || asksAgain(in, last):
		return 0
	case cameToNothing(last):
		return last.Repeats + 1
	case last.Phase == v1alpha1.PhaseRejected:
		return last.Repeats
	}
	return 0
}

// unanswered words what an exhausted question needs.
func unanswered(last *v1alpha1.Request, way string) string {
	return fmt.Sprintf("%s was sent %d times, and the carrier has not answered it (the last time: %s): "+
		"it is not sent again by itself. Ask the carrier; %s",
		last.Operation, last.Repeats+1, errorMessage(last.Error), way)
}

// NamesNoPlan says of a health answer that it does not say what it was asked for.
func NamesNoPlan(health carrier.HealthResult) bool { return planOf(health) == "" }

// planOf is the plan as a status can hold it.
func planOf(health carrier.HealthResult) string { return bounded(health.Plan, 200) }
