// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A reschedule or abort has the Location at which the cancellation is read (spec §4). After one has
// failed, the carrier therefore answers each read with its error, until it accepts the next one.

// showsOwnFailure reports whether a reading for the present generation is the error of our newest
// reschedule or abort. That request has changed nothing, so the known cancellation is still the
// carrier's, and it is all that the next request can be based on.
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

// failedRequest is a reschedule or abort that the carrier has accepted, and that has failed.
type failedRequest struct {
	*v1alpha1.Request

	basis *carrier.Cancellation // what it was to alter; nil if the ledger no longer has that
}

// failedAlteration returns the newest accepted reschedule or abort, if it failed. It returns nil if
// the service has no cancellation left, or if a person has abandoned a later attempt: the carrier may
// have accepted that one.
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

// wasAccepted reports whether the carrier has accepted an attempt that has ended, or may have.
func wasAccepted(ended *v1alpha1.Request) bool {
	refused := ended.Phase == v1alpha1.PhaseRejected || ended.Phase == v1alpha1.PhaseNotAccepted
	return ended.Phase.Reached() && !refused
}

// basisIn returns the cancellation that these failed attempts were to change, as one of them recorded
// it; nil if none did. The carrier accepts them only for one that is requested and can be altered.
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

// isRefused reports whether the carrier has refused a reading with an error of its own.
func isRefused(reading *decide.Reading) bool {
	return reading.Refused() && carrier.ClassOf(reading.Err) == carrier.Refused
}

// isReadErrorOf reports whether the newest reading of the cancellation, made since a request has
// failed, is its error. The summary of a request has no HTTP status.
func isReadErrorOf(in *Input, failed *failedRequest) bool {
	reading, had := &in.Memory.Readings.Cancellation, failed.Error
	if had == nil || !isRefused(reading) {
		return false
	}
	has := decide.RequestErrorOf(reading.Err)
	isSame := had.Code == has.Code && (had.HTTPStatus == has.HTTPStatus || had.HTTPStatus == 0 && had.Code != "")
	return isSame && !reading.RequestedAt.Before(in.Past(failed.FinishedAt))
}

// isUnaltered reports whether the known cancellation is the one that a failed request was to alter.
func isUnaltered(in *Input, failed *failedRequest) bool {
	known := in.Service.LastKnown().Cancellation
	if known == nil || failed.basis == nil {
		return known != nil && !in.Past(known.Since).After(in.Past(failed.SubmittedAt))
	}
	return isAlterable(known) && known.RequestDate == failed.basis.RequestDate &&
		known.RequestedOn == string(failed.basis.RequestedOn)
}

// restoreUnaltered records the cancellation that a failed request was to alter, from the ledger, if
// the carrier shows nothing but the error and it is not known: the status may be lost, or the object
// may be new.
func restoreUnaltered(in *Input) {
	if in.Service.LastKnown().Cancellation != nil {
		return
	}
	if failed := failedAlteration(in); failed != nil && failed.basis != nil && isReadErrorOf(in, failed) {
		RecordCancellation(in.Service, *failed.basis, failed.SubmittedAt.Time, decide.TimeZone(&in.Input))
	}
}

// mayHaveComeDue reports whether the day of a cancellation has passed since a failed request was to
// alter it, so that it may have been carried out, and the carrier has not shown it since the failure.
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

// isNotShownForLong reports whether the carrier has answered so many reads of a declared cancellation
// with an error that a status reports it, and our own failure does not explain that.
func isNotShownForLong(in *Input) bool {
	spec, reading := in.Service.Spec, &in.Memory.Readings.Cancellation
	isDeclared := spec.Cancellation != nil || spec.Disconnection != ""
	return isDeclared && isRefused(reading) && reading.Alike >= decide.FailuresShown &&
		(mayHaveComeDue(in) || !isOwnFailure(in))
}

// cancellationNotShown is the verdict in that case: no request can be based on what is known.
func cancellationNotShown(err error) decide.Verdict {
	return decide.Verdict{
		State: decide.Stuck, Reason: decide.ReasonOf(decide.RequestErrorOf(err)),
		Message: fmt.Sprintf("the carrier answers with an error instead of %s (%s): ask the carrier whether one is pending. "+
			"It is read again at least every 10 minutes, and this continues by itself as soon as the carrier shows it",
			theCancellation, decide.ErrorText(err)),
	}
}
