// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

const (
	fieldCancellation  = "cancellation"
	fieldDisconnection = "disconnection"
)

// unknownCancellation returns a decision while the cancellation is needed but unknown.
func unknownCancellation(in *ServiceInput) *Decision {
	spec := in.Service.Spec
	if spec.Cancellation == nil && spec.Disconnection == "" || knownCancellation(in) != nil {
		return nil
	}
	return awaitReading(in, TopicCancellation, "the service's cancellation", v1alpha1.ReasonCarrierUnavailable)
}

// unknownAlteration implements: "an unresolved OutcomeUnknown blocks every later change of that
// service", also that of a reschedule or abort.
func unknownAlteration(in *ServiceInput) *Decision {
	open := in.Service.OpenCancellation()
	if open == nil || open.Phase != v1alpha1.PhaseOutcomeUnknown || len(desiredChanges(in)) == 0 {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: unknown(&in.Input, open)}
}

// cancellation applies the declared cancellation, or explains why that is not possible.
func cancellation(in *ServiceInput) *Decision {
	if why := cancellationBarred(in); why != nil {
		return &Decision{Step: Rest{}, Verdict: *why}
	}
	want := desiredCancellation(in)
	if !want.wanted() {
		return nil
	}
	return judge(in, want)
}

// desiredCancellation returns the request that the declared cancellation needs. If the carrier's
// cancellation changed after we had applied ours, this is drift and the drift policy decides.
func desiredCancellation(in *ServiceInput) desiredChange {
	want := cancellationDiffers(in)
	if !want.wanted() || cancellationBarred(in) != nil || heldAsDrift(in, want) {
		return desiredChange{}
	}
	return want
}

// cancellationDiffers compares the declared cancellation with the carrier's: "OnDate against
// REQUESTED or IN_ERROR with another date: reschedule; equal: synced; None: abort".
func cancellationDiffers(in *ServiceInput) desiredChange {
	declared, known := in.Service.Spec.Cancellation, knownCancellation(in)
	if declared == nil || known == nil || !live(known) {
		return desiredChange{}
	}
	want := desiredChange{operation: v1alpha1.OperationCancellationAbort}
	change := v1alpha1.Change{
		Operation: want.operation, Field: fieldCancellation, From: known.RequestDate, To: declaredEnding(in),
	}
	if declared.Mode == v1alpha1.CancellationOnDate {
		date := string(declared.Date)
		if date == known.RequestDate {
			return desiredChange{}
		}
		want.operation, want.target.Date = v1alpha1.OperationCancellationReschedule, date
		change.Operation = want.operation
	}
	want.changes, want.before.RequestedOn = []v1alpha1.Change{change}, known.RequestedOn
	return want.of(in)
}

// cancellationBarred returns why no request can apply the declared cancellation; nil if one can.
func cancellationBarred(in *ServiceInput) *Verdict {
	declared, known := in.Service.Spec.Cancellation, knownCancellation(in)
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
func neverBarred(in *ServiceInput, known *v1alpha1.CancellationState) *Verdict {
	if !pastReturn(known) || in.Service.Spec.Disconnection == v1alpha1.DisconnectionReclaim {
		return nil
	}
	return &Verdict{Stuck, v1alpha1.ReasonNotEligibleForCancellation, fmt.Sprintf(
		"the cancellation for %s is %s and can no longer be aborted: ask the carrier, or set disconnection: Reclaim",
		orElse(known.RequestDate, "an unknown date"), known.Status)}
}

func onDateBarred(in *ServiceInput, declared *v1alpha1.Cancellation, known *v1alpha1.CancellationState) *Verdict {
	date := string(declared.Date)
	switch {
	case known.Cancelled, known.RequestDate == date && (live(known) || pastReturn(known)):
		return nil
	case pastReturn(known):
		return &Verdict{Stuck, v1alpha1.ReasonNotEligibleForCancellation, fmt.Sprintf(
			"the cancellation for %s is %s and can no longer be moved to %s: ask the carrier, or declare that date",
			orElse(known.RequestDate, "an unknown date"), known.Status, date)}
	case !live(known):
		return &Verdict{Stuck, v1alpha1.ReasonCancellationNotRequested, fmt.Sprintf(
			"no cancellation is requested at the carrier (%s), and its API has no call that requests one: "+
				"have it cancelled there, then it is moved to %s", orElse(known.Status, "none"), date)}
	case date < today(&in.Input):
		return new(dateInPast(&in.Input, "cancellation.date", date))
	}
	return nil
}

// live reports whether the status is REQUESTED or IN_ERROR, "request not yet submitted to the
// carrier" (spec §3), and the carrier allows the cancellation to be altered.
func live(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	requested := status == carrier.CancellationRequested || status == carrier.CancellationInError
	return requested && (known.CanAbort || known.CanReschedule)
}

// pastReturn reports whether the cancellation has been submitted to the carrier or carried out. One
// that was aborted or rejected counts as none.
func pastReturn(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	gone := status == "" || status == carrier.CancellationAborted || status == carrier.CancellationRejected
	return known.Cancelled || !gone && !live(known)
}

func knownCancellation(in *ServiceInput) *v1alpha1.CancellationState {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.Cancellation
}

// cancelled reports whether the carrier shows the service cancelled.
func cancelled(in *ServiceInput) bool {
	known := knownCancellation(in)
	return known != nil && known.Cancelled
}

// cancelledAsWanted ends the comparison: "mode OnDate and the carrier shows it cancelled: nothing
// else is compared".
func cancelledAsWanted(in *ServiceInput) *Decision {
	if !endedAsWanted(in) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonCancelled, fmt.Sprintf(
		"the service is cancelled since %s, as declared; nothing else is compared",
		orElse(knownCancellation(in).CancelledOn, "an unknown day"))}}
}

func endedAsWanted(in *ServiceInput) bool {
	declared := in.Service.Spec.Cancellation
	return declared != nil && declared.Mode == v1alpha1.CancellationOnDate && cancelled(in)
}

// agree records that the carrier's cancellation is as declared. From then on a different one is
// drift.
func agree(in *ServiceInput) {
	known := knownCancellation(in)
	if in.Service.Spec.Cancellation == nil || known == nil {
		return
	}
	differs := cancellationDiffers(in)
	if !differs.wanted() && cancellationBarred(in) == nil {
		known.Agreed = declaredEnding(in)
	}
}

// declaredEnding returns the declared date of cancellation, or "none".
func declaredEnding(in *ServiceInput) string {
	return orElse(string(in.Service.Spec.Cancellation.Date), "none")
}

// desiredReclaim returns the request that reclaims a disconnected service.
func desiredReclaim(in *ServiceInput) desiredChange {
	if in.Service.Spec.Disconnection != v1alpha1.DisconnectionReclaim || !cancelled(in) {
		return desiredChange{}
	}
	return desiredChange{operation: v1alpha1.OperationReclaim, changes: []v1alpha1.Change{{
		Operation: v1alpha1.OperationReclaim, Field: fieldDisconnection, From: "cancelled", To: "connected",
	}}}.orUnread(in)
}

// disconnected holds back a modification of a cancelled service: the carrier accepts none until it
// is reclaimed. If a reclaim succeeded and the service is still cancelled, a person has to decide.
func disconnected(in *ServiceInput, want desiredChange) *Decision {
	since := orElse(sinceCancelled(in), "an unknown day")
	reclaim := reachedOf(&in.Input, v1alpha1.OperationReclaim)
	done := reclaim != nil && reclaim.Phase == v1alpha1.PhaseSucceeded &&
		reclaim.Generation == in.Subject.GetGeneration() && !asksAgain(&in.Input, reclaim)
	switch {
	case !cancelled(in):
		return nil
	case want.operation != v1alpha1.OperationReclaim:
		return stuck(v1alpha1.ReasonCancelled, fmt.Sprintf(
			"the carrier shows the service cancelled since %s and takes no changes: %s waits for it to be reclaimed "+
				"(disconnection: Reclaim), or remove it from spec", since, want.operation))
	case done:
		return lookAgain(stuck(v1alpha1.ReasonCancelled, fmt.Sprintf(
			"the carrier shows the service cancelled since %s although reclaim attempt %s succeeded: ask the carrier, "+
				"or to reclaim it once more: %s%s", since, reclaim.AttemptID, retryHint(&in.Input, reclaim),
			retryFlaw(&in.Input, reclaim))), retryDue(&in.Input, reclaim))
	}
	return nil
}

func sinceCancelled(in *ServiceInput) string {
	if known := knownCancellation(in); known != nil {
		return known.CancelledOn
	}
	return ""
}

// AsWanted reports whether a cancellation has the state that a request was meant to set.
func AsWanted(request *v1alpha1.Request, known *v1alpha1.CancellationState) bool {
	if request.Operation == v1alpha1.OperationCancellationReschedule {
		return known.RequestDate == request.Target.Date && (live(known) || pastReturn(known))
	}
	return !live(known) && !pastReturn(known)
}

// aboutAnother reports whether another cancellation has been requested since a request was sent.
// The outcome of that request does not apply to the new cancellation.
func aboutAnother(in *ServiceInput, request *v1alpha1.Request) bool {
	known := knownCancellation(in)
	return request.Operation.AltersCancellation() && known != nil && known.RequestedOn != request.Before.RequestedOn
}

// NotRequested reports whether the carrier rejected a request because no cancellation is requested:
// the known state is then wrong and is "read again".
func NotRequested(request *v1alpha1.Request) bool {
	return request.Operation.AltersCancellation() && request.Error != nil &&
		request.Error.Code == string(carrier.SubCancellationNotRequested)
}
