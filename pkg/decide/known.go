// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Absorb updates the status with what is known without a step: the answers of readings, the values
// of the order, and the values that the user has asked to trust.
func Absorb(in *ServiceInput) {
	if in.Account.Object == nil || in.Service.ServiceNumber() == "" {
		return // nothing may be trusted before the ledger is known
	}
	readings := &in.Memory.Readings
	if readings.Health.State == ReadingAnswered && !outdone(in, TopicHealth) {
		absorbHealth(in, &readings.Health)
	}
	if readings.Cancellation.State == ReadingAnswered && !outdone(in, TopicCancellation) {
		TakeCancellation(in.Service, readings.Cancellation.Cancellation, in.Now, zone(&in.Input))
	}
	if readings.Disruptions.State == ReadingAnswered {
		absorbDisruptions(in, readings.Disruptions.Disruptions)
	}
	agree(in)
	absorbOrder(in)
	believe(in)
}

// outdone reports whether a request that changed the topic ended after the reading was requested.
// If two managers are active, that request may be the other one's, and this process's reading is
// older than the recorded state.
func outdone(in *ServiceInput, topic Topic) bool {
	return in.Memory.Readings.Of(topic).AskedAt.Before(changedAt(&in.Input, topic))
}

// changedAt returns when a request of ours last changed the topic. Times in a status are whole
// seconds, so the end of that second is returned.
func changedAt(in *Input, topic Topic) time.Time {
	var at time.Time
	for _, contract := range carrier.Contracts() {
		done := reachedOf(in, v1alpha1.Operation(contract.Operation))
		if done != nil && !done.FinishedAt.IsZero() && changes(done, topic) {
			at = later(at, in.past(done.FinishedAt).Add(statusPrecision))
		}
	}
	return at
}

// changes reports whether a request has changed the topic. One that stands for a lost ledger may
// have changed anything.
func changes(request *v1alpha1.Request, topic Topic) bool {
	if StandsForLost(request) {
		return true
	}
	if request.Phase != v1alpha1.PhaseSucceeded {
		return false
	}
	if topic == TopicHealth {
		return request.Operation == v1alpha1.OperationPlanChange
	}
	return topic == TopicCancellation && touchesCancellation(request.Operation)
}

func touchesCancellation(operation v1alpha1.Operation) bool {
	return operation == v1alpha1.OperationReclaim || operation.AltersCancellation()
}

// absorbOrder takes values from the order that created the service, where nothing newer is known.
func absorbOrder(in *ServiceInput) {
	order := in.Order
	if order == nil || order.ServiceID != in.Service.ServiceNumber() {
		return
	}
	state := &v1alpha1.CarrierState{} // the recorded state stays unchanged if no value is taken
	if held := in.Service.Status.Carrier; held != nil {
		state = held
	}
	if state.AVCID == "" {
		state.AVCID = bounded(order.AVCID, 64)
	}
	term := ""
	if order.Term != 0 {
		term = strconv.Itoa(int(order.Term))
	}
	for _, aspect := range []struct {
		operation v1alpha1.Operation
		ordered   string
		held      **v1alpha1.KnownValue
	}{
		{v1alpha1.OperationPlanChange, order.Plan, &state.Plan},
		{v1alpha1.OperationPlanChange, term, &state.Term},
		{v1alpha1.OperationPlanChange, order.RestorationSLA, &state.RestorationSLA},
		{v1alpha1.OperationAggregationConversion, order.AggregationMethod, &state.AggregationMethod},
	} {
		if aspect.ordered != "" && *aspect.held == nil && in.Subject.RequestOf(aspect.operation) == nil {
			*aspect.held = known(bounded(aspect.ordered, 200), v1alpha1.SourceOrder, in.Now)
			in.Service.Status.Carrier = state
		}
	}
}

// Reached updates the status with the values that a successful request has set.
func Reached(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time,
) {
	state, target := carrierState(service), request.Target
	if StandsForLost(request) {
		state.Plan, state.Cancellation = nil, nil // the request is unknown, so the current values are read
	}
	if target.Plan != "" { // otherwise the target was lost with the status, and the current value is read again
		state.Plan = known(target.Plan, source, now)
		state.Term = known(strconv.Itoa(int(target.Term)), source, now)
	}
	if target.RestorationSLA != "" {
		state.RestorationSLA = known(target.RestorationSLA, source, now)
	}
	if target.AggregationMethod != "" {
		state.AggregationMethod = known(target.AggregationMethod, source, now)
	}
	if target.DSLStabilityProfile != "" {
		state.DSLStabilityProfile = known(target.DSLStabilityProfile, source, now)
	}
	if mustReadAgain(request, state.Cancellation, source) {
		state.Cancellation = nil // it can be read, so the current value is read
	}
}

// mustReadAgain reports whether the known cancellation is older than the result of a request. A
// reclaim ends a cancellation. After a reschedule or abort that was settled without its result, the
// known cancellation may or may not show it.
func mustReadAgain(
	request *v1alpha1.Request, known *v1alpha1.CancellationState, source v1alpha1.ValueSource,
) bool {
	if !request.Operation.AltersCancellation() {
		return request.Operation == v1alpha1.OperationReclaim
	}
	return source != v1alpha1.SourceChangeResult && known != nil && !AsWanted(request, known)
}

// TakeDeclared takes the values that cannot be read as declared, after a person has resolved as
// succeeded everything that was sent before the ledger was lost. The other values are read again.
func TakeDeclared(service *v1alpha1.BroadbandService, now time.Time) {
	spec, target := service.Spec, v1alpha1.RequestTarget{}
	target.RestorationSLA = spec.RestorationSLA
	target.AggregationMethod, target.DSLStabilityProfile = spec.AggregationMethod, spec.DSLStabilityProfile
	Reached(service, &v1alpha1.Request{Target: target}, v1alpha1.SourceDeclared, now)
	state := carrierState(service)
	state.Plan, state.Cancellation = nil, nil
	if spec.Plan != nil {
		state.Term = known(strconv.Itoa(int(spec.Plan.Term)), v1alpha1.SourceDeclared, now)
	}
}

// MatchesTarget reports whether a result belongs to this request: "a 200 whose id or service id
// differs" does not. A result without ids does, because fields may be missing.
func MatchesTarget(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, result carrier.RequestSummary,
) bool {
	sameService := result.ServiceID == 0 || result.ServiceID == service.ServiceNumber().Number()
	sameRequest := result.ID == 0 || strings.HasSuffix(request.Location, "/"+strconv.FormatInt(result.ID, 10))
	return sameService && sameRequest
}

func known(value string, source v1alpha1.ValueSource, now time.Time) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: v1alpha1.WholeSeconds(now)}
}

func carrierState(service *v1alpha1.BroadbandService) *v1alpha1.CarrierState {
	if service.Status.Carrier == nil {
		service.Status.Carrier = &v1alpha1.CarrierState{}
	}
	return service.Status.Carrier
}

// bounded makes a carrier's text safe for a status: limited to a number of runes, and without
// characters that control a terminal or change the text direction.
func bounded(text string, limit int) string {
	runes := []rune(strings.Map(printable, text))
	return string(runes[:min(len(runes), limit)])
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}
