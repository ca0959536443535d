// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// unreadable is a value that no read gives, as a status has it.
type unreadable struct {
	field string
	asked bool // whether a request asks for it
	held  **v1alpha1.KnownValue
}

// unreadables are those of a status. What stands for a lost ledger is about all of them.
func unreadables(state *v1alpha1.CarrierState, request *v1alpha1.Request) []unreadable {
	target, lost := request.Target, StandsForLost(request)
	return []unreadable{
		{fieldTerm, lost || target.Plan != "", &state.Term},
		{fieldSLA, lost || target.RestorationSLA != "", &state.RestorationSLA},
		{fieldAggregation, lost || target.AggregationMethod != "", &state.AggregationMethod},
		{fieldDSLProfile, lost || target.DSLStabilityProfile != "", &state.DSLStabilityProfile},
	}
}

// Believe brings into the status what a person says that a request has brought about. The request
// keeps what was known before: the person may take the word back. A value that was known already
// stays as it is.
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

// TakeBack forgets what a request was believed to have brought about, because a person has said so and
// says something else now: what was known before it is known again, and what can be read is read.
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

// isBelieved says whether a value is known by a word alone.
func isBelieved(held *v1alpha1.KnownValue) bool {
	return held != nil && held.Source == v1alpha1.SourceDeclared
}

// changesPlan says whether a request may have brought about another plan. One for the restoration SLA
// alone goes with the plan that there is.
func changesPlan(request *v1alpha1.Request) bool {
	return StandsForLost(request) || request.Target.Plan != request.Before.Plan
}

// rowOf is what is on record of a value that a request changes; nil for nothing. The pointer leads
// into the request.
func rowOf(request *v1alpha1.Request, field string) *v1alpha1.Change {
	at := slices.IndexFunc(request.Plan, func(change v1alpha1.Change) bool {
		return change.Operation == request.Operation && change.Field == field
	})
	if at < 0 {
		return nil
	}
	return &request.Plan[at]
}

// knownBefore is what was known before a request of a value that is believed now; nil for nothing.
func knownBefore(row *v1alpha1.Change, believed *v1alpha1.KnownValue, now time.Time) *v1alpha1.KnownValue {
	switch {
	case row == nil || row.From == "":
		return nil
	case row.From == believed.Value:
		return believed
	}
	return known(row.From, v1alpha1.SourceDeclared, now)
}
