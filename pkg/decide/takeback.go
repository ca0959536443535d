// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// unreadable is a value in a status that the carrier has no read for.
type unreadable struct {
	field string
	asked bool // whether the request sets it
	held  **v1alpha1.KnownValue
}

// unreadables returns these values. A request that stands for a lost ledger concerns all of them.
func unreadables(state *v1alpha1.CarrierState, request *v1alpha1.Request) []unreadable {
	target, lost := request.Target, StandsForLost(request)
	return []unreadable{
		{fieldTerm, lost || target.Plan != "", &state.Term},
		{fieldSLA, lost || target.RestorationSLA != "", &state.RestorationSLA},
		{fieldAggregation, lost || target.AggregationMethod != "", &state.AggregationMethod},
		{fieldDSLProfile, lost || target.DSLStabilityProfile != "", &state.DSLStabilityProfile},
	}
}

// Believe records in the status the values that a request has set according to a person's
// resolution. The request keeps the previous values, because the person may revise the resolution.
// A value that was already known is not changed.
func Believe(service *v1alpha1.BroadbandService, request *v1alpha1.Request, now time.Time) {
	state := carrierState(service)
	before := unreadables(state.DeepCopy(), request)
	if StandsForLost(request) {
		TakeDeclared(service, now)
	} else {
		Reached(service, request, v1alpha1.SourceDeclared, now)
	}
	for i, value := range unreadables(state, request) {
		was := *before[i].held
		if !value.asked || equality.Semantic.DeepEqual(was, *value.held) {
			continue
		}
		if rowOf(request, value.field) == nil {
			request.Plan = append(request.Plan, v1alpha1.Change{
				Operation: request.Operation, Field: value.field, From: valueOf(was), To: valueOf(*value.held),
			})
		}
		if valueOf(was) == valueOf(*value.held) {
			*value.held = was
		}
	}
}

// TakeBack removes the values that a request had set according to an earlier resolution, because a
// person has revised it. The previous values are restored, and values that can be read are read
// again.
func TakeBack(service *v1alpha1.BroadbandService, request *v1alpha1.Request, now time.Time) {
	state := service.Status.Carrier
	if state == nil {
		return
	}
	for _, value := range unreadables(state, request) {
		if value.asked && isBelieved(*value.held) {
			*value.held = knownBefore(rowOf(request, value.field), *value.held, now)
		}
	}
	if isBelieved(state.Plan) && changesPlan(request) {
		state.Plan = nil
	}
	if request.Operation.AltersCancellation() || request.Operation == v1alpha1.OperationReclaim {
		state.Cancellation = nil
	}
}

// isBelieved reports whether a value was only declared, not confirmed by the carrier.
func isBelieved(held *v1alpha1.KnownValue) bool {
	return held != nil && held.Source == v1alpha1.SourceDeclared
}

// changesPlan reports whether a request may have changed the plan. A request for the restoration
// SLA alone is sent with the current plan.
func changesPlan(request *v1alpha1.Request) bool {
	return StandsForLost(request) || request.Target.Plan != request.Before.Plan
}

// rowOf returns the recorded change of a value by a request; nil if none. The pointer refers into
// the request.
func rowOf(request *v1alpha1.Request, field string) *v1alpha1.Change {
	at := slices.IndexFunc(request.Plan, func(change v1alpha1.Change) bool {
		return change.Operation == request.Operation && change.Field == field
	})
	if at < 0 {
		return nil
	}
	return &request.Plan[at]
}

// knownBefore returns the value before the request, for a value that is trusted now; nil if
// unknown.
func knownBefore(row *v1alpha1.Change, believed *v1alpha1.KnownValue, now time.Time) *v1alpha1.KnownValue {
	switch {
	case row == nil || row.From == "":
		return nil
	case row.From == believed.Value:
		return believed
	}
	return known(row.From, v1alpha1.SourceDeclared, now)
}
