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

// Absorb brings into the status of a Input what is known without a step: the answers of
// readings, what the order says, and what the user has asked to be believed.
func Absorb(in *ServiceInput) {
	if in.Account.Object == nil || in.Service.ServiceNumber() == "" {
		return // its ledger, which comes before anything that is believed, is not known
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

// outdone says whether a reading was asked for before a request was done that has changed what
// it is about. Where two managers lead, another one may have brought that about, and what this
// one still holds is older than what is on record.
func outdone(in *ServiceInput, topic Topic) bool {
	return in.Memory.Readings.Of(topic).AskedAt.Before(changedAt(&in.Input, topic))
}

// changedAt is when a request of ours last changed what a topic is about. A status has whole
// seconds: it is the end of that one.
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

// changes says whether a request has changed what a topic is about. One that stands for a lost
// ledger may have changed anything.
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

// absorbOrder takes over what the order that created the service says of it, where
// nothing newer is known.
func absorbOrder(in *ServiceInput) {
	order := in.Order
	if order == nil || order.ServiceID != in.Service.ServiceNumber() {
		return
	}
	state := &v1alpha1.CarrierState{} // the one on record stays as it is where nothing is taken
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

// Reached brings into the status what a request that succeeded has brought about.
func Reached(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time,
) {
	state, target := carrierState(service), request.Target
	if StandsForLost(request) {
		state.Plan, state.Cancellation = nil, nil // nobody knows what it was: what it is now is read
	}
	if target.Plan != "" { // else the target was lost with the status: what was reached is read anew
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
		state.Cancellation = nil // it has a read: what it is now is read
	}
}

// mustReadAgain says whether what is known of the cancellation is older than what a request
// brought about: a reclaim ends one, and a reschedule or abort that was settled without
// its result shows it or not.
func mustReadAgain(
	request *v1alpha1.Request, known *v1alpha1.CancellationState, source v1alpha1.ValueSource,
) bool {
	if !request.Operation.AltersCancellation() {
		return request.Operation == v1alpha1.OperationReclaim
	}
	return source != v1alpha1.SourceChangeResult && known != nil && !AsWanted(request, known)
}

// TakeDeclared takes what no read gives as declared: a person said that whatever was sent
// before the ledger was lost has succeeded. The rest is read anew.
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

// MatchesTarget says whether a result is that of this request: "a 200 whose id or
// service id differs" is not. A result without them is: fields may be missing.
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

// bounded makes a carrier's text fit for a status: at most so many runes, and none that
// steer a terminal or turn the direction of what is read.
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
