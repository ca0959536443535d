// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Finish records the carrier's result of a request: the new values, and differences from the quote.
// It returns why the request has not succeeded in spite of the result, or nil.
func Finish(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time, days *time.Location,
) *decide.Unfinished {
	result, err := carrier.DecodeSummary(carrier.Operation(request.Operation), body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	if !isResultOf(service, request, result) {
		// The Location belongs to something else, so the outcome has to be verified.
		return decide.NotOurs(request, fmt.Sprintf("request %d for service %d", result.ID, result.ServiceID))
	}
	if why := decide.NotDone(request, result); why != nil {
		return why
	}
	if request.Operation.AltersCancellation() {
		return finishCancellation(service, request, body, now, days)
	}
	ApplyTarget(service, request, v1alpha1.SourceChangeResult, now)
	recordStated(service, request, body, now)
	return nil
}

// finishCancellation records the cancellation that resulted from a reschedule or abort. The
// carrier may report success and still show something else.
func finishCancellation(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time, days *time.Location,
) *decide.Unfinished {
	found, err := carrier.DecodeCancellation(body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	RecordCancellation(service, found, now, days)
	known := service.Status.Carrier.Cancellation
	switch {
	case asWanted(request, known):
		if declared := service.Spec.Cancellation; declared != nil && string(declared.Date) == request.Target.Date {
			known.Agreed = dateOrNone(declared) // the spec still declares what the request has set
		}
		return nil
	case known.RequestedOn != request.Before.RequestedOn:
		return &decide.Unfinished{
			Phase: v1alpha1.PhaseAbandoned,
			Error: decide.Because("another cancellation has been requested since then"),
		}
	}
	decide.CompareResult(request, []decide.Stated{{
		What: "cancellation", Asked: cmp.Or(request.Target.Date, "none"),
		Shown: strings.TrimSpace(cmp.Or(known.RequestDate, "none") + " " + known.Status),
	}})
	return nil
}

// unreadable is a value in a status that the carrier's documented API cannot report.
type unreadable struct {
	field string
	asked bool // whether the request sets it
	known **v1alpha1.KnownValue
}

// unreadables returns the unreadable values that a request concerns. A request that stands for a
// lost ledger concerns all of them.
func unreadables(state *v1alpha1.CarrierState, request *v1alpha1.Request) []unreadable {
	target, lost := request.Target, decide.StandsForLostLedger(request)
	return []unreadable{
		{decide.FieldTerm, lost || target.Plan != "", &state.Term},
		{decide.FieldSLA, lost || target.RestorationSLA != "", &state.RestorationSLA},
		{fieldAggregation, lost || target.AggregationMethod != "", &state.AggregationMethod},
		{fieldDSLProfile, lost || target.DSLStabilityProfile != "", &state.DSLStabilityProfile},
	}
}

// ApplyResolution records in the status the values that a request has set according to a person's
// resolution. The request keeps the previous values, because the person may revise the resolution.
// A value that was already known to be the same keeps its source.
func ApplyResolution(service *v1alpha1.BroadbandService, request *v1alpha1.Request, now time.Time) {
	state := carrierState(service)
	before := unreadables(state.DeepCopy(), request)
	if decide.StandsForLostLedger(request) {
		ApplyDeclared(service, now)
	} else {
		ApplyTarget(service, request, v1alpha1.SourceDeclared, now)
	}
	for i, value := range unreadables(state, request) {
		was := *before[i].known
		if !value.asked || equality.Semantic.DeepEqual(was, *value.known) {
			continue
		}
		if rowOf(request, value.field) == nil {
			request.Plan = append(request.Plan, v1alpha1.Change{
				Operation: request.Operation, Field: value.field, From: was.ValueOrEmpty(), To: (*value.known).ValueOrEmpty(),
			})
		}
		if was != nil && was.Value == (*value.known).Value && decide.SameName(was.Plan, (*value.known).Plan) {
			*value.known = was
		}
	}
}

// RevertResolution removes the values that a request had set according to an earlier resolution,
// because a person has revised it. The previous values are restored, and values that can be read
// are read again.
func RevertResolution(service *v1alpha1.BroadbandService, request *v1alpha1.Request, now time.Time) {
	state := service.Status.Carrier
	if state == nil {
		return
	}
	for _, value := range unreadables(state, request) {
		if value.asked && isOnlyDeclared(*value.known) {
			*value.known = knownBefore(request, value.field, *value.known, now)
		}
	}
	// A request for the restoration SLA alone is sent with the current plan.
	changesPlan := decide.StandsForLostLedger(request) || request.Target.Plan != request.Before.Plan
	if isOnlyDeclared(state.Plan) && changesPlan {
		state.Plan = nil
	}
	if request.Operation.AltersCancellation() || request.Operation == v1alpha1.OperationReclaim {
		state.Cancellation = nil
	}
}

func isOnlyDeclared(known *v1alpha1.KnownValue) bool {
	return known != nil && known.Source == v1alpha1.SourceDeclared
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

// knownBefore returns the value from before the request, which is trusted from now on; nil if it
// is unknown.
func knownBefore(
	request *v1alpha1.Request, field string, current *v1alpha1.KnownValue, now time.Time,
) *v1alpha1.KnownValue {
	row := rowOf(request, field)
	if row == nil || row.From == "" {
		return nil
	}
	before := knownValue(row.From, v1alpha1.SourceDeclared, now)
	if field == decide.FieldTerm {
		before.Plan = request.Before.Plan
	}
	if before.Value == current.Value && before.Plan == current.Plan {
		return current
	}
	return before
}

// ApplyTarget updates the status with the values that a successful request has set. If health has
// proven its success, only the plan counts as shown: health has no other value.
func ApplyTarget(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time,
) {
	state, target, ofPlan := carrierState(service), request.Target, source
	if source == v1alpha1.SourceHealth {
		source = v1alpha1.SourceDeclared
	}
	if decide.StandsForLostLedger(request) {
		state.Plan, state.Cancellation = nil, nil // the request is unknown, so the current values are read
	}
	if target.Plan != "" { // otherwise the target was lost with the status, and the current value is read again
		state.Plan = knownValue(target.Plan, ofPlan, now)
		if ofPlan == v1alpha1.SourceHealth {
			state.Plan.AsHealth = target.Plan
		}
		state.Term = knownTerm(target.Plan, target.Term, source, now)
	}
	if target.RestorationSLA != "" {
		state.RestorationSLA = knownValue(target.RestorationSLA, source, now)
	}
	if target.AggregationMethod != "" {
		state.AggregationMethod = knownValue(target.AggregationMethod, source, now)
	}
	if target.DSLStabilityProfile != "" {
		state.DSLStabilityProfile = knownValue(target.DSLStabilityProfile, source, now)
	}
	if mustReadAgain(request, state.Cancellation, source) {
		state.Cancellation = nil // it can be read, so the current value is read
	}
}

// mustReadAgain reports whether the known cancellation is older than the result of a request. A
// reclaim ends a cancellation. After a reschedule or abort that ended without its result, the
// known cancellation may or may not show the change.
func mustReadAgain(
	request *v1alpha1.Request, known *v1alpha1.CancellationState, source v1alpha1.ValueSource,
) bool {
	if !request.Operation.AltersCancellation() {
		return request.Operation == v1alpha1.OperationReclaim
	}
	return source != v1alpha1.SourceChangeResult && known != nil && !asWanted(request, known)
}

// ApplyDeclared records the declared values in place of the unreadable ones, after a person has
// resolved as succeeded everything that was sent before the ledger was lost. The other values are
// read again.
func ApplyDeclared(service *v1alpha1.BroadbandService, now time.Time) {
	spec, target := service.Spec, v1alpha1.RequestTarget{}
	target.RestorationSLA = spec.RestorationSLA
	target.AggregationMethod, target.DSLStabilityProfile = spec.AggregationMethod, spec.DSLStabilityProfile
	ApplyTarget(service, &v1alpha1.Request{Target: target}, v1alpha1.SourceDeclared, now)
	state := carrierState(service)
	state.Plan, state.Cancellation = nil, nil
	if spec.Plan != nil {
		state.Term = knownTerm(spec.Plan.Name, spec.Plan.Term, v1alpha1.SourceDeclared, now)
	}
}

// isResultOf reports whether a result belongs to this request. A result with another id, or about
// another service, does not. A result without ids does, because fields may be missing.
func isResultOf(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, result carrier.RequestSummary,
) bool {
	sameService := result.ServiceID == 0 || result.ServiceID == service.ServiceNumber().Number()
	return sameService && decide.MayBeResultOf(request, result.ID)
}
