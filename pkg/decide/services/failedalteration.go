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

// showsOwnFailure reports whether the newest reading is the error of our newest reschedule or abort.
// That request has changed nothing, so the known cancellation is still the carrier's, and it is all
// that the next request can be based on.
func showsOwnFailure(in *Input) bool {
	failed, reading := failedAlteration(in), &in.Memory.Readings.Cancellation
	return failed != nil && requestedForGeneration(in, reading) &&
		reading.Refused() && carrier.ClassOf(reading.Err) == carrier.Refused &&
		decide.RequestErrorOf(reading.Err).Code == failed.Code &&
		!reading.RequestedAt.Before(in.Past(failed.FinishedAt)) && !anotherShownSince(in, failed)
}

// anotherShownSince reports whether the carrier has shown another cancellation since the end of an
// attempt, so that a later error is not that attempt's.
func anotherShownSince(in *Input, ended *v1alpha1.EndedAttempt) bool {
	known := in.Service.LastKnown().Cancellation
	return known != nil && in.Past(known.Since).After(in.Past(ended.FinishedAt))
}

// failedAlteration returns the newest reschedule or abort that the carrier accepted, if it has failed
// with an error of the carrier's; nil otherwise. Whether an attempt that a person has given up was
// accepted is not known, so that nothing is known of the earlier ones either.
func failedAlteration(in *Input) *v1alpha1.EndedAttempt {
	if in.Ledger == nil || in.Service.OpenCancellation() != nil {
		return nil
	}
	ended := in.Ledger.Spec.Ended
	at := slices.IndexFunc(ended, func(attempt v1alpha1.EndedAttempt) bool {
		return attempt.Operation.AltersCancellation() && !wasNotAccepted(attempt.Outcome)
	})
	if at < 0 || ended[at].Outcome != v1alpha1.PhaseFailed || ended[at].Code == "" {
		return nil
	}
	return &ended[at]
}

// wasNotAccepted reports whether an attempt that ended in this phase was not accepted by the carrier.
func wasNotAccepted(phase v1alpha1.RequestPhase) bool {
	return !phase.Reached() || phase == v1alpha1.PhaseRejected || phase == v1alpha1.PhaseNotAccepted
}

// isRefusedForLong reports whether the carrier has refused a reading, and so many readings in a row
// have failed that a status reports it.
func isRefusedForLong(reading *decide.Reading) bool {
	return reading.Refused() && carrier.ClassOf(reading.Err) == carrier.Refused && reading.Failures >= decide.FailuresShown
}

// cancellationRefused is the verdict while the carrier refuses to show the cancellation, and either no
// failure of ours explains that, or what it was before is not known: no request can be based on it.
func cancellationRefused(err error) decide.Verdict {
	return decide.Verdict{
		State: decide.Stuck, Reason: decide.ReasonOf(decide.RequestErrorOf(err)),
		Message: fmt.Sprintf("the carrier does not show %s, which happens after a reschedule or abort has failed (%s): "+
			"ask the carrier; it is read again at least every 30 minutes", theCancellation, decide.ErrorText(err)),
	}
}
