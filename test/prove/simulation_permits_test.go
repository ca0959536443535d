// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// sameRequest reports whether two POSTs are for the same thing, unless somebody has said that the
// carrier has not accepted the earlier one. Orders with the same customerReference are the same
// forever. Tests are the same if they belong to the same object. Changes of a service are the same
// if the earlier one still applies, or if it failed and nobody has asked again.
func (c *simulationRecorder) sameRequest(one, earlier *post) bool {
	sameSubject := one.operation == earlier.operation && c.memberOf[one].subject == c.memberOf[earlier].subject
	switch {
	case !sameSubject, c.resolvedFalsely[earlier.attempt]:
		return false
	case one.operation == v1alpha1.OperationOrderCreate:
		return true
	case one.target != earlier.target, one.operation == v1alpha1.OperationDiagnosticTest && one.uid != earlier.uid:
		return false
	case earlier.endsInError:
		return !c.isAskedAgain(one, earlier)
	}
	return !c.isUndone(earlier, one)
}

// isAskedAgain reports whether somebody has asked for a request after an earlier one, by a new
// generation or a retry. A new object counts as a new generation.
func (c *simulationRecorder) isAskedAgain(one, earlier *post) bool {
	now, before := c.attempts[one.attempt], c.attempts[earlier.attempt]
	return now.UID != before.UID || now.Generation != before.Generation || now.Retry != before.Retry
}

// isUndone reports whether what a request has set was changed before a later one: by the carrier, by
// another request or, as far as the operator can know, by one that a person has resolved falsely.
func (c *simulationRecorder) isUndone(earlier, later *post) bool {
	if later.operation == v1alpha1.OperationPlanChange && c.planSets[earlier] != c.planSets[later] {
		return true
	}
	return slices.ContainsFunc(c.sent[slices.Index(c.sent, earlier)+1:], func(between *post) bool {
		same := between.operation == earlier.operation && c.memberOf[between].subject == c.memberOf[earlier].subject
		changed := between.accepted && !between.endsInError || c.resolvedFalsely[between.attempt]
		return between != later && same && between.target != earlier.target && changed
	})
}
