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
	known, failed := in.Service.LastKnown().Cancellation, failedAlteration(in)
	return known != nil && isReadErrorOf(in, failed) && !in.Past(known.Since).After(in.Past(failed.SubmittedAt))
}

// isReadErrorOf reports whether the newest reading of the cancellation, made since a request has
// failed, is its error. There may be no such request.
func isReadErrorOf(in *Input, failed *v1alpha1.Request) bool {
	reading := &in.Memory.Readings.Cancellation
	return failed != nil && reading.Refused() && carrier.ClassOf(reading.Err) == carrier.Refused &&
		isErrorOf(failed, reading.Err) && !reading.RequestedAt.Before(in.Past(failed.FinishedAt))
}

// isErrorOf reports whether an error is the one with which a request has failed. The summary of a
// request has no HTTP status.
func isErrorOf(failed *v1alpha1.Request, err error) bool {
	had, has := failed.Error, decide.RequestErrorOf(err)
	if had == nil || had.Code != has.Code {
		return false
	}
	return had.HTTPStatus == has.HTTPStatus || had.HTTPStatus == 0 && had.Code != ""
}

// restoreUnaltered records the cancellation that a failed request was to alter, from the ledger, if it
// is not known and the carrier shows nothing but the error. The status may be lost, or of a new one.
// The carrier accepts such a request only for a cancellation that is requested and can be altered.
func restoreUnaltered(in *Input) {
	known, failed := in.Service.LastKnown().Cancellation, failedAlteration(in)
	if known != nil || !isReadErrorOf(in, failed) || NotRequested(failed) || dateBefore(failed) == "" {
		return
	}
	RecordCancellation(in.Service, carrier.Cancellation{
		Status: carrier.CancellationRequested, RequestedOn: carrier.Timestamp(failed.Before.RequestedOn),
		RequestDate: dateBefore(failed), CanAbort: true, CanReschedule: true,
	}, failed.SubmittedAt.Time, decide.TimeZone(&in.Input))
}

// dateBefore returns the day on which the service was to end before a reschedule or abort.
func dateBefore(request *v1alpha1.Request) string {
	changes := request.Changes()
	at := slices.IndexFunc(changes, func(change v1alpha1.Change) bool { return change.Field == fieldCancellation })
	if at < 0 {
		return ""
	}
	return changes[at].From
}

// mayHaveComeDue reports whether the carrier shows our own failure, and the known cancellation was
// requested for a day that has passed, so that it may have been carried out.
func mayHaveComeDue(in *Input) bool {
	if !isOwnFailure(in) {
		return false
	}
	date := in.Service.LastKnown().Cancellation.RequestDate
	return date != "" && date < decide.Today(&in.Input)
}

// failedAlteration returns the newest reschedule or abort that the carrier accepted, if it has failed;
// nil otherwise. Whether an attempt that a person has given up was accepted is not known, so that
// nothing is known of the earlier ones either.
func failedAlteration(in *Input) *v1alpha1.Request {
	if in.Service.OpenCancellation() != nil {
		return nil
	}
	history := in.Ledger.History()
	at := slices.IndexFunc(history, func(ended *v1alpha1.Request) bool {
		return ended.Operation.AltersCancellation() && !wasNotAccepted(ended.Phase)
	})
	if at < 0 || history[at].Phase != v1alpha1.PhaseFailed {
		return nil
	}
	return history[at]
}

// wasNotAccepted reports whether an attempt that ended in this phase was not accepted by the carrier.
func wasNotAccepted(phase v1alpha1.RequestPhase) bool {
	return !phase.Reached() || phase == v1alpha1.PhaseRejected || phase == v1alpha1.PhaseNotAccepted
}

// isNotShownForLong reports whether the carrier has answered so many reads of a declared cancellation
// with an error that a status reports it, and our own failure does not explain that.
func isNotShownForLong(in *Input) bool {
	spec, reading := in.Service.Spec, &in.Memory.Readings.Cancellation
	isDeclared := spec.Cancellation != nil || spec.Disconnection != ""
	return isDeclared && reading.Refused() && carrier.ClassOf(reading.Err) == carrier.Refused &&
		reading.Alike >= decide.FailuresShown && (mayHaveComeDue(in) || !isOwnFailure(in))
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
