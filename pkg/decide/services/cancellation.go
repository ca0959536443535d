// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	fieldCancellation  = "cancellation"
	fieldDisconnection = "disconnection"
)

// unknownCancellation returns a decision while the cancellation is needed but unknown.
func unknownCancellation(in *Input) *decide.Decision {
	spec := in.Service.Spec
	if spec.Cancellation == nil && spec.Disconnection == "" || lastKnown(in).Cancellation != nil {
		return nil
	}
	return awaitReading(in, decide.TopicCancellation, "the service's cancellation", v1alpha1.ReasonCarrierUnavailable)
}

// unknownAlteration implements: "an unresolved OutcomeUnknown blocks every later change of that
// service". The unknown outcome of a reschedule or abort blocks them too.
func unknownAlteration(in *Input) *decide.Decision {
	open := in.Service.OpenCancellation()
	if open == nil || open.Phase != v1alpha1.PhaseOutcomeUnknown || len(desiredChanges(in)) == 0 {
		return nil
	}
	return &decide.Decision{Step: decide.Rest{}, Verdict: decide.UnknownVerdict(&in.Input, open)}
}

// desiredCancellation returns the request that the declared cancellation needs. If the carrier's
// cancellation changed after we had applied ours, this is drift and the drift policy decides.
func desiredCancellation(in *Input) decide.DesiredChange {
	want := cancellationDiffers(in)
	if !want.Wanted() || cancellationBarred(in) != nil || onlyReportsCancellationDrift(in, want) {
		return decide.DesiredChange{}
	}
	return want
}

// cancellationDiffers compares the declared cancellation with the carrier's: "OnDate against
// REQUESTED or IN_ERROR with another date: reschedule; equal: synced; None: abort".
func cancellationDiffers(in *Input) decide.DesiredChange {
	declared, known := in.Service.Spec.Cancellation, lastKnown(in).Cancellation
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
	return withBody(in, want)
}

// cancellationBarred returns why no request can apply the declared cancellation; nil if one can.
func cancellationBarred(in *Input) *decide.Verdict {
	declared, known := in.Service.Spec.Cancellation, lastKnown(in).Cancellation
	if declared == nil || known == nil || onlyObserves(in) {
		return nil
	}
	if declared.Mode == v1alpha1.CancellationNever {
		return neverBarred(in, known)
	}
	return onDateBarred(in, declared, known)
}

// neverBarred reports a cancellation that can no longer be aborted. A service that is to be
// reclaimed does not need the abort.
func neverBarred(in *Input, known *v1alpha1.CancellationState) *decide.Verdict {
	if !isFinal(known) || in.Service.Spec.Disconnection == v1alpha1.DisconnectionReclaim {
		return nil
	}
	return &decide.Verdict{
		State: decide.Stuck, Reason: v1alpha1.ReasonNotEligibleForCancellation,
		Message: fmt.Sprintf(
			"the cancellation for %s is %s and can no longer be aborted: ask the carrier, or set disconnection: Reclaim",
			decide.OrElse(known.RequestDate, "an unknown date"), known.Status),
	}
}

func onDateBarred(in *Input, declared *v1alpha1.Cancellation, known *v1alpha1.CancellationState) *decide.Verdict {
	date := string(declared.Date)
	switch {
	case known.Cancelled, known.RequestDate == date && (isAlterable(known) || isFinal(known)):
		return nil
	case isFinal(known):
		return &decide.Verdict{
			State: decide.Stuck, Reason: v1alpha1.ReasonNotEligibleForCancellation,
			Message: fmt.Sprintf(
				"the cancellation for %s is %s and can no longer be moved to %s: ask the carrier, or declare the carrier's date",
				decide.OrElse(known.RequestDate, "an unknown date"), known.Status, date),
		}
	case !isAlterable(known):
		return &decide.Verdict{
			State: decide.Stuck, Reason: v1alpha1.ReasonCancellationNotRequested,
			Message: fmt.Sprintf(
				"no cancellation is pending at the carrier (status: %s), and its API has no call that requests one: "+
					"ask the carrier to cancel the service; the cancellation is then moved to %s",
				decide.OrElse(known.Status, "none"), date),
		}
	case date < decide.Today(&in.Input):
		return new(decide.DateInPast(&in.Input, "cancellation.date", date))
	}
	return nil
}

// cancelledAsWanted ends the comparison: "mode OnDate and the carrier shows it cancelled: nothing
// else is compared".
func cancelledAsWanted(in *Input) *decide.Decision {
	if !endedAsWanted(in) {
		return nil
	}
	return &decide.Decision{Step: decide.Rest{}, Verdict: decide.Verdict{
		State: decide.Settled, Reason: v1alpha1.ReasonCancelled,
		Message: fmt.Sprintf(
			"the service has been cancelled since %s, as declared; nothing else is compared",
			decide.OrElse(lastKnown(in).Cancellation.CancelledOn, "an unknown day")),
	}}
}

func endedAsWanted(in *Input) bool {
	declared := in.Service.Spec.Cancellation
	return declared != nil && declared.Mode == v1alpha1.CancellationOnDate && cancelled(in)
}

// recordAgreement records that the carrier's cancellation is as declared. From then on a different
// one is drift.
func recordAgreement(in *Input) {
	known := lastKnown(in).Cancellation
	if in.Service.Spec.Cancellation == nil || known == nil {
		return
	}
	differs := cancellationDiffers(in)
	if !differs.Wanted() && cancellationBarred(in) == nil {
		known.Agreed = declaredEnding(in)
	}
}

// declaredEnding returns the declared date of cancellation, or "none".
func declaredEnding(in *Input) string {
	return decide.OrElse(string(in.Service.Spec.Cancellation.Date), "none")
}

// disconnected holds back a modification of a cancelled service: the carrier accepts none until it
// is reclaimed. If a reclaim succeeded and the service is still cancelled, a person has to decide.
func disconnected(in *Input, want decide.DesiredChange) *decide.Decision {
	since := decide.OrElse(sinceCancelled(in), "an unknown day")
	reclaim := decide.ReachedOf(&in.Input, v1alpha1.OperationReclaim)
	done := reclaim != nil && reclaim.Phase == v1alpha1.PhaseSucceeded &&
		reclaim.Generation == in.Subject.GetGeneration() && !decide.RetryRequested(&in.Input, reclaim)
	switch {
	case !cancelled(in):
		return nil
	case want.Operation != v1alpha1.OperationReclaim:
		return decide.RestStuck(v1alpha1.ReasonCancelled, fmt.Sprintf(
			"the carrier shows the service as cancelled since %s and accepts no changes: reclaim the service "+
				"(disconnection: Reclaim) so that %s can be sent, or remove that change from spec", since, want.Operation))
	case done:
		return decide.RequeueAt(decide.RestStuck(v1alpha1.ReasonCancelled, fmt.Sprintf(
			"the carrier shows the service as cancelled since %s although reclaim attempt %s succeeded: ask the carrier, "+
				"or, to reclaim the service once more, run: %s%s", since, reclaim.AttemptID, decide.RetryHint(&in.Input, reclaim),
			decide.WhyRetryIgnored(&in.Input, reclaim))), decide.RetryDue(&in.Input, reclaim))
	}
	return nil
}

func sinceCancelled(in *Input) string {
	if known := lastKnown(in).Cancellation; known != nil {
		return known.CancelledOn
	}
	return ""
}

// AsWanted reports whether a cancellation has the state that a request was meant to set.
func AsWanted(request *v1alpha1.Request, known *v1alpha1.CancellationState) bool {
	if request.Operation == v1alpha1.OperationCancellationReschedule {
		return known.RequestDate == request.Target.Date && (isAlterable(known) || isFinal(known))
	}
	return !isAlterable(known) && !isFinal(known)
}

// NotRequested reports whether the carrier rejected a request because no cancellation is requested:
// the known state is then wrong and is "read again".
func NotRequested(request *v1alpha1.Request) bool {
	return request.Operation.AltersCancellation() && request.Error != nil &&
		request.Error.Code == string(carrier.SubCancellationNotRequested)
}

// isAlterable reports whether the status is REQUESTED or IN_ERROR, "request not yet submitted to
// the carrier" (spec §3), and the carrier allows the cancellation to be altered.
func isAlterable(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	requested := status == carrier.CancellationRequested || status == carrier.CancellationInError
	return requested && (known.CanAbort || known.CanReschedule)
}

// isFinal reports whether the cancellation has been submitted to the carrier or carried out. An
// aborted or rejected cancellation counts as none.
func isFinal(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	none := status == "" || status == carrier.CancellationAborted || status == carrier.CancellationRejected
	return known.Cancelled || !none && !isAlterable(known)
}

// cancelled reports whether the carrier shows the service cancelled.
func cancelled(in *Input) bool {
	known := lastKnown(in).Cancellation
	return known != nil && known.Cancelled
}
