// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// TakeBack forgets what a request was believed to have brought about, because a person has said so and
// says something else now: what was known before it is known again, and what can be read is read.
func TakeBack(service *v1alpha1.BroadbandService, request *v1alpha1.Request, now time.Time) {
	state := service.Status.Carrier
	if state == nil {
		return
	}
	target, lost := request.Target, StandsForLost(request)
	for _, aspect := range []struct {
		field string
		asked bool
		held  **v1alpha1.KnownValue
	}{
		{fieldTerm, target.Plan != "", &state.Term},
		{fieldSLA, target.RestorationSLA != "", &state.RestorationSLA},
		{fieldAggregation, target.AggregationMethod != "", &state.AggregationMethod},
		{fieldDSLProfile, target.DSLStabilityProfile != "", &state.DSLStabilityProfile},
	} {
		if (aspect.asked || lost) && isBelieved(*aspect.held) {
			*aspect.held = knownBefore(request, aspect.field, now)
		}
	}
	if isBelieved(state.Plan) {
		state.Plan = nil
	}
	if request.Operation.AltersCancellation() || request.Operation == v1alpha1.OperationReclaim {
		state.Cancellation = nil
	}
}

// isBelieved says whether a value is known by a word alone.
func isBelieved(held *v1alpha1.KnownValue) bool {
	return held != nil && held.Source == v1alpha1.SourceDeclared
}

// knownBefore is what was known of a field before a request; nil for nothing.
func knownBefore(request *v1alpha1.Request, field string, now time.Time) *v1alpha1.KnownValue {
	at := slices.IndexFunc(request.Plan, func(change v1alpha1.Change) bool {
		return change.Operation == request.Operation && change.Field == field
	})
	if at < 0 || request.Plan[at].From == "" {
		return nil
	}
	return known(request.Plan[at].From, v1alpha1.SourceDeclared, now)
}
