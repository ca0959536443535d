// SPDX-License-Identifier: Apache-2.0

package services

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// UpdateState updates the status with what is known without a step: the responses of readings, the
// values of the order, and the values that the user has asked to trust.
func UpdateState(in *Input) {
	if in.Account.Object == nil || in.Service.ServiceNumber() == "" {
		return // nothing may be trusted before the ledger is known
	}
	readings := &in.Memory.Readings
	if readings.Health.State == decide.ReadingAnswered && !isOutdated(in, decide.TopicHealth) {
		recordHealth(in, &readings.Health)
	}
	if readings.Service.State == decide.ReadingAnswered && !isOutdated(in, decide.TopicService) {
		recordDescription(in, &readings.Service)
	}
	forgetAcceptedDrift(in)
	forgetReplacedTerm(in)
	recordReadCancellation(in)
	if readings.Disruptions.State == decide.ReadingAnswered {
		recordDisruptions(in, readings.Disruptions.Disruptions)
	}
	recordAgreement(in)
	fillFromOrder(in)
	applyTrust(in)
}

// recordReadCancellation records what the newest reading of the cancellation shows.
func recordReadCancellation(in *Input) {
	reading := &in.Memory.Readings.Cancellation
	if reading.State == decide.ReadingAnswered && !isOutdated(in, decide.TopicCancellation) && !isOnlyMeanwhile(in) {
		RecordCancellation(in.Service, reading.Cancellation, in.Now, decide.TimeZone(&in.Input))
	}
	restoreUnaltered(in)
}

// isOnlyMeanwhile reports whether the newest reading of the cancellation was made while the carrier
// was applying a reschedule or abort of ours. It may show what that request is to set, even if it
// then fails.
func isOnlyMeanwhile(in *Input) bool {
	return isChanging(in) && (in.Service.OpenCancellation() != nil ||
		in.Memory.Readings.Cancellation.RequestedAt.Before(decide.AlteredAt(&in.Input)))
}

// isOutdated reports whether a request that changed the topic ended after the reading was
// requested. If two managers are active, the other manager may have sent that request, and this
// process's reading is older than the recorded state.
func isOutdated(in *Input, topic decide.Topic) bool {
	return in.Memory.Readings.Of(topic).RequestedAt.Before(decide.ChangedAt(&in.Input, topic))
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
	if decide.StandsForLost(request) {
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
// reclaim ends a cancellation. After a reschedule or abort that was settled without its result, the
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

// isResultOf reports whether a result belongs to this request. One with another id, or about
// another service, does not. A result without ids does, because fields may be missing.
func isResultOf(
	service *v1alpha1.BroadbandService, request *v1alpha1.Request, result carrier.RequestSummary,
) bool {
	sameService := result.ServiceID == 0 || result.ServiceID == service.ServiceNumber().Number()
	return sameService && decide.MayBeResultOf(request, result.ID)
}

// recordHealth records the result of a health request.
func recordHealth(in *Input, reading *decide.Reading) {
	state, health := carrierState(in.Service), reading.Health
	state.TechnologyType = decide.Bounded(health.TechnologyType, 64)
	state.LocationID = decide.Bounded(health.LocationID, 64)
	state.AVCID = decide.Bounded(health.AVCID, 64)
	state.PRIID = decide.Bounded(health.PRIID, 64)
	state.WholesaleServiceID = decide.Bounded(health.WholesaleServiceID, 64)
	recordRating(in, health)
	if plan := decide.PlanInHealth(health); plan != "" && !readsPlanFromService(in) {
		recordPlan(in, state, plan, reading.RequestedAt)
	}
}

// recordRating records the carrier's rating of the line. Its time is when this rating was first
// seen, so that an unchanged rating needs no write.
func recordRating(in *Input, health carrier.HealthResult) {
	view := v1alpha1.HealthStatus{
		Summary:      decide.Bounded(string(health.CurrentCondition.Status), 64),
		Connectivity: decide.Bounded(string(health.Indicator.Connectivity), 64),
		Performance:  decide.Bounded(string(health.Indicator.Performance), 64),
		Stability:    decide.Bounded(string(health.Indicator.Stability), 64),
		Alert:        decide.Bounded(health.CurrentCondition.AlertMessage, 1024),
		NextAction:   decide.Bounded(health.NextAction.Description, 1024),
		HRIID:        decide.Bounded(health.HRIID, 64),
	}
	if held := in.Service.Status.Health; held != nil {
		newest := view.HRIID
		view.Since, view.HRIID = held.Since, held.HRIID // each reading has its own record id, which is not a change
		if view == *held {
			return
		}
		view.HRIID = newest
	}
	view.Since = metav1.NewTime(in.Now)
	in.Service.Status.Health = &view
}

// RecordCancellation records the state of a service's cancellation. Its time is when this state was
// first seen. Days are in the given time zone, because the carrier may write the requested day as a
// date-time.
func RecordCancellation(
	service *v1alpha1.BroadbandService, found carrier.Cancellation, now time.Time, days *time.Location,
) {
	state := cancellationState(found, days)
	held := carrierState(service).Cancellation
	if held != nil {
		if shows(held, state) {
			return
		}
		state.Agreed = held.Agreed
	}
	state.Since = metav1.NewTime(now)
	service.Status.Carrier.Cancellation = &state
}

// cancellationState returns a cancellation as the status has it, without what the carrier does not
// show: since when, and whether it was agreed.
func cancellationState(found carrier.Cancellation, days *time.Location) v1alpha1.CancellationState {
	state := v1alpha1.CancellationState{
		Status: decide.Bounded(string(found.Status), 64), Cancelled: found.Cancelled,
		RequestDate: decide.DayOf(decide.Bounded(found.RequestDate, 64), days),
		RequestedOn: decide.Bounded(string(found.RequestedOn), 64),
		CancelledOn: decide.Bounded(string(found.CancelledOn), 64), AbortedOn: decide.Bounded(string(found.AbortedOn), 64),
		ErrorDetail: decide.Bounded(found.ErrorDetail, 1024),
		CanRequest:  found.CanRequest, CanAbort: found.CanAbort, CanReschedule: found.CanReschedule,
	}
	state.PendingDate = pendingDate(&state)
	return state
}

// shows reports whether a recorded cancellation shows a state of the carrier.
func shows(held *v1alpha1.CancellationState, state v1alpha1.CancellationState) bool {
	state.Since, state.Agreed = held.Since, held.Agreed
	return state == *held
}

// pendingDate returns the day on which the service will be cancelled; "" if no cancellation is
// pending: none was requested, or it was aborted, rejected or carried out.
func pendingDate(state *v1alpha1.CancellationState) string {
	if state.Cancelled || carrier.CancellationStatus(state.Status) == carrier.CancellationCompleted ||
		!isAlterable(state) && !isFinal(state) {
		return ""
	}
	return state.RequestDate
}
