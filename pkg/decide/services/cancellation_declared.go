// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// desiredCancellation returns the request that the declared cancellation needs. A change of the
// carrier's cancellation after ours was applied is drift, and the drift policy decides.
func desiredCancellation(in *Input) decide.DesiredChange {
	want := in.wanted.cancellation
	if !want.Wanted() || cancellationBarred(in) != nil || onlyReportsCancellationDrift(in, want) {
		return decide.DesiredChange{}
	}
	return want
}

// cancellationDiffers compares the declared cancellation with the carrier's: another date is a
// reschedule, and no cancellation at all is an abort.
func cancellationDiffers(in *Input) decide.DesiredChange {
	declared, known := in.Service.Spec.Cancellation, in.Service.LastKnown().Cancellation
	if declared == nil || known == nil || !isAlterable(known) {
		return decide.DesiredChange{}
	}
	want := decide.DesiredChange{Operation: v1alpha1.OperationCancellationAbort}
	change := v1alpha1.Change{
		Operation: want.Operation, Field: fieldCancellation, From: known.RequestDate, To: declaredEnding(in),
	}
	if declared.Mode == v1alpha1.CancellationOnDate {
		date := string(declared.Date)
		if date == known.RequestDate {
			return decide.DesiredChange{}
		}
		want.Operation, want.Target.Date = v1alpha1.OperationCancellationReschedule, date
		change.Operation = want.Operation
	}
	want.Changes, want.Before.RequestedOn = []v1alpha1.Change{change}, known.RequestedOn
	return want
}

// cancellationBarred returns why no request can apply the declared cancellation; nil if one can.
func cancellationBarred(in *Input) *decide.Verdict {
	if in.Service.OnlyObserves() {
		return nil
	}
	return whyCancellationCannotApply(in)
}

// whyCancellationCannotApply is cancellationBarred without regard to the management policy.
func whyCancellationCannotApply(in *Input) *decide.Verdict {
	declared, known := in.Service.Spec.Cancellation, in.Service.LastKnown().Cancellation
	if declared == nil || known == nil {
		return nil
	}
	if declared.Mode == v1alpha1.CancellationNever {
		return abortBarred(in, known)
	}
	return rescheduleBarred(in, declared, known)
}

// abortBarred returns why the cancellation can no longer be aborted; nil if it can. A service that
// is to be reclaimed does not need the abort.
func abortBarred(in *Input, known *v1alpha1.CancellationState) *decide.Verdict {
	if !isFinal(known) || in.Service.Spec.Disconnection == v1alpha1.DisconnectionReclaim {
		return nil
	}
	return new(decide.Stuck.Verdict(v1alpha1.ReasonNotEligibleForCancellation, fmt.Sprintf(
		"the cancellation for %s is %s and can no longer be aborted: ask the carrier, or set disconnection: Reclaim",
		cmp.Or(known.RequestDate, "an unknown date"), known.Status)))
}

// rescheduleBarred returns why the cancellation cannot be moved to the declared date; nil if it
// can, or if it has that date.
func rescheduleBarred(in *Input, declared *v1alpha1.Cancellation, known *v1alpha1.CancellationState) *decide.Verdict {
	date := string(declared.Date)
	switch {
	case known.Cancelled, known.RequestDate == date && (isAlterable(known) || isFinal(known)):
		return nil
	case isFinal(known):
		return new(decide.Stuck.Verdict(v1alpha1.ReasonNotEligibleForCancellation, fmt.Sprintf(
			"the cancellation for %s is %s and can no longer be moved to %s: ask the carrier, or declare the carrier's date",
			cmp.Or(known.RequestDate, "an unknown date"), known.Status, date)))
	case !isAlterable(known):
		return new(decide.Stuck.Verdict(v1alpha1.ReasonCancellationNotRequested, fmt.Sprintf(
			"no cancellation is pending at the carrier (status: %s), and its API has no call that requests one: "+
				"ask the carrier to cancel the service; the cancellation is then moved to %s",
			cmp.Or(known.Status, "none"), date)))
	case date < decide.Today(&in.Input):
		return new(decide.DateInPast(&in.Input, "cancellation.date", date))
	}
	return nil
}

func endedOnDate(in *Input) bool {
	return in.Service.LastKnown().Cancellation.RequestDate == string(in.Service.Spec.Cancellation.Date)
}

func howEnded(in *Input) string {
	known, as := in.Service.LastKnown().Cancellation, ", as declared"
	if !endedOnDate(in) {
		as = fmt.Sprintf(": its cancellation was for %s, and can no longer be moved to %s",
			cmp.Or(known.RequestDate, "an unknown date"), in.Service.Spec.Cancellation.Date)
	}
	return "the service has been cancelled since " + cmp.Or(known.CancelledOn, "an unknown day") + as
}

// recordAgreement records that the carrier's cancellation is as declared. From then on a
// different one is drift, until the spec declares something else. An ended service agrees with
// any date: otherwise each new process would read it again, although nothing is left to compare.
func recordAgreement(in *Input) {
	known := in.Service.LastKnown().Cancellation
	if known == nil {
		return
	}
	agreed := agreedEnding(in)
	known.Agreed = ""
	if in.Service.Spec.Cancellation == nil {
		return
	}
	differs := cancellationDiffers(in)
	asDeclared := !differs.Wanted() && whyCancellationCannotApply(in) == nil
	if agreed == declaredEnding(in) || (shownSinceDeclared(in) || showsOwnFailure(in)) && asDeclared {
		known.Agreed = declaredEnding(in)
	}
}

// shownSinceDeclared reports whether the carrier has shown the cancellation, or has altered it as
// declared, since the spec has its present generation. An older state does not count: somebody may
// declare the cancellation because it has changed since.
func shownSinceDeclared(in *Input) bool {
	return readSinceDeclared(in) && !isChanging(in) || hasAlteration(in, func(request v1alpha1.Request) bool {
		return request.Phase == v1alpha1.PhaseSucceeded
	})
}

// isUncompared reports whether a cancellation is declared that was neither agreed, nor compared
// with a reading made for it by this process or by the process that sent an attempt for it. If an
// older state counted, the time of the next reading would decide whether a change by somebody
// else is drift.
func isUncompared(in *Input) bool {
	return in.Service.Spec.Cancellation != nil && !cancellationWasAsDeclared(in) && !readSinceDeclared(in) &&
		!showsOwnFailure(in) && !hasAlteration(in, func(request v1alpha1.Request) bool { return !request.TakenOver })
}

func hasAlteration(in *Input, is func(v1alpha1.Request) bool) bool {
	return slices.ContainsFunc(in.Service.Status.Requests, func(request v1alpha1.Request) bool {
		return request.Operation.AltersCancellation() && request.Generation == in.Service.Generation && is(request)
	})
}

// agreedEnding returns the declared cancellation that the carrier's state last matched. If the
// status was lost, or the cancellation has to be read again, the ledger has it. The ledger's
// record prevents a request and never causes one (R7).
func agreedEnding(in *Input) string {
	if known := in.Service.LastKnown().Cancellation; known != nil && known.Agreed != "" {
		return known.Agreed
	}
	return in.Ledger.AgreedCancellation()
}

func declaredEnding(in *Input) string { return dateOrNone(in.Service.Spec.Cancellation) }

func dateOrNone(declared *v1alpha1.Cancellation) string {
	return cmp.Or(string(declared.Date), "none")
}

// onlyReportsCancellationDrift reports whether a cancellation has drifted and the drift is only
// reported.
func onlyReportsCancellationDrift(in *Input, want decide.DesiredChange) bool {
	return cancellationWasAsDeclared(in) && !corrects(in, want.Operation)
}

// cancellationWasAsDeclared reports whether the carrier's cancellation was as declared at some
// time.
func cancellationWasAsDeclared(in *Input) bool {
	known := in.Service.LastKnown().Cancellation
	return known != nil && known.Agreed == declaredEnding(in)
}

// readSinceDeclared reports whether this process has read the known cancellation for the present
// generation.
func readSinceDeclared(in *Input) bool {
	return in.Memory.Readings.Cancellation.Generation == in.Service.Generation && showsKnownCancellation(in)
}

// showsKnownCancellation reports whether the newest reading shows the known cancellation. The two
// differ if the status is older than the reading, or was not written after it. A reading of a
// cancellation that is being changed counts only after so many of them in a row that the carrier
// may always respond like this.
func showsKnownCancellation(in *Input) bool {
	const inARow = 3
	known, reading := in.Service.LastKnown().Cancellation, &in.Memory.Readings.Cancellation
	return known != nil && reading.Answered() && (!isBeingChanged(reading) || reading.Modified > inARow) &&
		shows(known, cancellationState(reading.Cancellation, decide.TimeZone(&in.Input)))
}
