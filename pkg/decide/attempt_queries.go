// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maxQueries is how often a query is sent for one change (R20). Only the queries that the carrier
// has accepted, or may have accepted, count.
const maxQueries = 3

// isQuery reports whether a request is only a query.
func isQuery(request *v1alpha1.Request) bool {
	return request != nil && ClassOf(request.Operation, request.Target) == carrier.ClassQuery
}

// isUnansweredQuery reports whether the recorded request is a query that was not answered.
func isUnansweredQuery(last *v1alpha1.Request) bool {
	return isQuery(last) && last.Phase == v1alpha1.PhaseNotProcessed
}

// exhausted reports whether a query stayed unanswered so often that it is not repeated
// automatically.
func exhausted(last *v1alpha1.Request) bool {
	return isUnansweredQuery(last) && last.Repeats+1 >= maxQueries
}

// queriesBefore counts the unanswered queries for the same change. A rejection is a response and
// does not change the count.
func queriesBefore(in *Input, want DesiredChange) int32 {
	last := in.Subject.RequestOf(want.Operation)
	switch {
	case !isQuery(last) || attemptNumber(in, want) == 1 || exhausted(last) || RetryRequested(in, last):
		return 0
	case isUnansweredQuery(last):
		return last.Repeats + 1
	case last.Phase == v1alpha1.PhaseRejected:
		return last.Repeats
	}
	return 0
}

// NamesNoPlan reports whether a health response lacks the plan.
func NamesNoPlan(health carrier.HealthResult) bool { return PlanInHealth(health) == "" }

// PlanInHealth returns the plan, limited to what a status can hold.
func PlanInHealth(health carrier.HealthResult) string { return Bounded(health.Plan, 200) }

// attemptNumber returns the number of the next attempt at the same change of the same generation,
// starting at 1.
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
