// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A reschedule or abort has the Location at which the cancellation is read (spec §4). After one has
// failed, the carrier therefore answers each read with its error, until it accepts the next one.

// showsOwnFailure reports whether a reading for the present generation is the error of our newest
// reschedule or abort. That request has changed nothing. The known cancellation is still the
// carrier's, and the next request can be based on nothing else.
func showsOwnFailure(in *Input) bool {
	return requestedForGeneration(in, &in.Memory.Readings.Cancellation) && isOwnFailure(in) && !mayHaveComeDue(in)
}

// isOwnFailure reports whether the newest reading is the error of our newest reschedule or abort, and
// the known cancellation is the one that it was to alter.
func isOwnFailure(in *Input) bool {
	if !isRefused(&in.Memory.Readings.Cancellation) {
		return false
	}
	failed := failedAlteration(in)
	return failed != nil && isReadErrorOf(in, failed) && isUnaltered(in, failed)
}

// wasAccepted reports whether the carrier has accepted an ended attempt, or may have.
func wasAccepted(ended *v1alpha1.Request) bool {
	refused := ended.Phase == v1alpha1.PhaseRejected || ended.Phase == v1alpha1.PhaseNotAccepted
	return ended.Phase.Reached() && !refused
}

// basisIn returns the cancellation that the given failed attempts were to change, as one of them
// recorded it; nil if none did. The carrier accepts such attempts only for one that can be altered.
func basisIn(attempts []*v1alpha1.Request) *carrier.Cancellation {
	for _, attempt := range attempts {
		at := slices.IndexFunc(attempt.Plan, func(change v1alpha1.Change) bool {
			return change.Operation == attempt.Operation && change.Field == fieldCancellation
		})
		if at >= 0 && attempt.Before.RequestedOn != "" {
			return &carrier.Cancellation{
				Status: carrier.CancellationRequested, RequestDate: attempt.Plan[at].From,
				RequestedOn: carrier.Timestamp(attempt.Before.RequestedOn), CanAbort: true, CanReschedule: true,
			}
		}
	}
	return nil
}

func isRefused(reading *decide.Reading) bool {
	return reading.Refused() && carrier.ClassOf(reading.Err) == carrier.Refused
}

// isReadErrorOf reports whether the newest reading of the cancellation was made after a request
// failed, and is the error of that request. The summary of a request has no HTTP status.
func isReadErrorOf(in *Input, failed *failedRequest) bool {
	reading, had := &in.Memory.Readings.Cancellation, failed.Error
	if had == nil || !isRefused(reading) {
		return false
	}
	has := decide.RequestErrorOf(reading.Err)
	isSame := had.Code == has.Code && (had.HTTPStatus == has.HTTPStatus || had.HTTPStatus == 0 && had.Code != "")
	return isSame && !reading.RequestedAt.Before(in.Past(failed.FinishedAt))
}

func isUnaltered(in *Input, failed *failedRequest) bool {
	known := in.Service.LastKnown().Cancellation
	if known == nil || failed.basis == nil {
		return known != nil && !in.Past(known.Since).After(in.Past(failed.SubmittedAt))
	}
	return isAlterable(known) && known.RequestDate == failed.basis.RequestDate &&
		known.RequestedOn == string(failed.basis.RequestedOn)
}

// restoreUnaltered records the cancellation that a failed request was to alter. It is taken from
// the ledger if it is not known and the carrier shows only the error: the status may be lost, or
// the object may be new.
func restoreUnaltered(in *Input) {
	if in.Service.LastKnown().Cancellation != nil {
		return
	}
	if failed := failedAlteration(in); failed != nil && failed.basis != nil && isReadErrorOf(in, failed) {
		RecordCancellation(in.Service, *failed.basis, failed.SubmittedAt.Time, decide.TimeZone(&in.Input))
	}
}

// mayHaveComeDue reports whether a cancellation may have been carried out since a request to alter it
// failed: its day has passed since, and the carrier has not shown the cancellation after the failure.
func mayHaveComeDue(in *Input) bool {
	known := in.Service.LastKnown().Cancellation
	if known == nil || known.RequestDate >= decide.Today(&in.Input) {
		return false
	}
	failed := failedAlteration(in)
	if failed == nil || !isUnaltered(in, failed) || readSince(in, in.Past(failed.FinishedAt)) {
		return false
	}
	return decide.DayIn(decide.TimeZone(&in.Input), in.Past(failed.SubmittedAt)) <= known.RequestDate
}

// cancellationNotShown is the verdict if the carrier has returned an error for so many reads of a
// declared cancellation that a status reports it, unless our own failure explains the errors. No
// request can then be based on the known state. Otherwise it is nil.
func cancellationNotShown(in *Input) *decide.Verdict {
	spec, reading := in.Service.Spec, &in.Memory.Readings.Cancellation
	isDeclared := spec.Cancellation != nil || spec.Disconnection != ""
	isShown := !isRefused(reading) || reading.Alike < decide.FailuresShown || !mayHaveComeDue(in) && isOwnFailure(in)
	if !isDeclared || isShown {
		return nil
	}
	return new(decide.Stuck.Verdict(decide.ReasonOf(decide.RequestErrorOf(reading.Err)), fmt.Sprintf(
		"the carrier answers with an error instead of %s (%s): ask the carrier whether a cancellation is pending. The "+
			"operator reads the cancellation again at least every 10 minutes, and continues when the carrier shows it",
		theCancellation, decide.ErrorText(reading.Err))))
}

// theCancellation is what messages call the reading of a service's cancellation.
const theCancellation = "the service's cancellation"

const (
	fieldCancellation  = "cancellation"
	fieldDisconnection = "disconnection"
)

func recordReadCancellation(in *Input) {
	reading := &in.Memory.Readings.Cancellation
	if reading.State == decide.ReadingAnswered && !isOutdated(in, decide.TopicCancellation) && !isOnlyMeanwhile(in) {
		RecordCancellation(in.Service, reading.Cancellation, in.Now, decide.TimeZone(&in.Input))
	}
	restoreUnaltered(in)
}

// isOnlyMeanwhile reports whether the newest reading of the cancellation was made while the
// carrier was applying our reschedule or abort. The reading may show the new state even if the
// request then fails.
func isOnlyMeanwhile(in *Input) bool {
	return isChanging(in) && (in.Service.OpenCancellation() != nil ||
		in.Memory.Readings.Cancellation.RequestedAt.Before(decide.AlteredAt(&in.Input)))
}

func isChanging(in *Input) bool { return isBeingChanged(&in.Memory.Readings.Cancellation) }

// isBeingChanged reports whether a reading of the cancellation found a change of it in progress: a
// 202, which may still show the cancellation as it was before.
func isBeingChanged(reading *decide.Reading) bool {
	return reading.Answered() && reading.Cancellation.InProgress
}

// RecordCancellation records the state of a service's cancellation. Its time is when this state was
// first seen. Days are in the given time zone, because the carrier may write the requested day as a
// date-time.
func RecordCancellation(
	service *v1alpha1.BroadbandService, found carrier.Cancellation, now time.Time, days *time.Location,
) {
	state := cancellationState(found, days)
	known := carrierState(service).Cancellation
	if known != nil {
		if shows(known, state) {
			return
		}
		state.Agreed = known.Agreed
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

func shows(known *v1alpha1.CancellationState, state v1alpha1.CancellationState) bool {
	state.Since, state.Agreed = known.Since, known.Agreed
	return state == *known
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

// isAlterable reports whether the cancellation has not yet been handed to the carrier behind the
// API (spec §3), and the carrier allows it to be altered.
func isAlterable(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	requested := status == carrier.CancellationRequested || status == carrier.CancellationInError
	return requested && (known.CanAbort || known.CanReschedule)
}

// isFinal reports whether there is a cancellation that can no longer be altered: it was submitted
// to the carrier or carried out, or the carrier does not allow a change. An unknown status counts
// as such a cancellation. An aborted or rejected cancellation counts as none.
func isFinal(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	none := status == "" || status == carrier.CancellationAborted || status == carrier.CancellationRejected
	return known.Cancelled || !none && !isAlterable(known)
}

// NotRequested reports whether the carrier rejected a request because no cancellation is requested:
// the known state is then wrong and is read again.
func NotRequested(request *v1alpha1.Request) bool {
	return request.Operation.AltersCancellation() && request.Error != nil &&
		request.Error.Code == string(carrier.SubCancellationNotRequested)
}

func requestedForGeneration(in *Input, reading *decide.Reading) bool {
	return reading.State != decide.ReadingNone && reading.Generation >= in.Service.Generation
}

func readSince(in *Input, at time.Time) bool {
	reading := &in.Memory.Readings.Cancellation
	return reading.Answered() && !reading.RequestedAt.Before(at)
}

// failedAlteration returns the newest accepted reschedule or abort, if it failed. It returns nil
// if the service has no cancellation left, or if a person has abandoned a later attempt, because
// the carrier may have accepted that attempt.
func failedAlteration(in *Input) *failedRequest {
	history := slices.DeleteFunc(in.Ledger.History(), func(ended *v1alpha1.Request) bool {
		return !ended.Operation.AltersCancellation()
	})
	at := slices.IndexFunc(history, wasAccepted)
	if at < 0 || in.Service.OpenCancellation() != nil || slices.ContainsFunc(history[:at+1], NotRequested) {
		return nil
	}
	failed := history[at]
	sentLater := func(other *v1alpha1.Request) bool {
		return wasAccepted(other) && other.SubmittedAt.After(failed.SubmittedAt.Time)
	}
	if failed.Phase != v1alpha1.PhaseFailed || slices.ContainsFunc(history[at+1:], sentLater) {
		return nil
	}
	return &failedRequest{failed, basisIn(history[:at+1])}
}

// failedRequest is a reschedule or abort that the carrier has accepted, and that has failed.
type failedRequest struct {
	*v1alpha1.Request

	basis *carrier.Cancellation // what it was to alter; nil if the ledger no longer has that
}
