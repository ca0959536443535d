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

// unknownCancellation answers while the cancellation must be known and is not.
func unknownCancellation(in *ServiceInput) *Decision {
	spec := in.Service.Spec
	if spec.Cancellation == nil && spec.Disconnection == "" || knownCancellation(in) != nil {
		return nil
	}
	return awaitReading(in, TopicCancellation, "the service's cancellation", v1alpha1.ReasonCarrierUnavailable)
}

// unknownAlteration: "an unresolved OutcomeUnknown blocks every later change of that
// service", one of a reschedule or abort too.
func unknownAlteration(in *ServiceInput) *Decision {
	open := in.Service.OpenCancellation()
	if open == nil || open.Phase != v1alpha1.PhaseOutcomeUnknown || len(desiredChanges(in)) == 0 {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: unknown(&in.Input, open)}
}

// cancellation brings the declared cancellation about, or says why that cannot be.
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

// desiredCancellation is the request that the declared cancellation takes. One that moved
// away after we had brought it about is drift, and waits for the policy.
func desiredCancellation(in *ServiceInput) desiredChange {
	want := cancellationDiffers(in)
	if !want.wanted() || cancellationBarred(in) != nil || heldAsDrift(in, want) {
		return desiredChange{}
	}
	return want
}

// cancellationDiffers compares the declared cancellation with the carrier's: "OnDate
// against REQUESTED or IN_ERROR with another date: reschedule; equal: synced; None: abort".
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

// cancellationBarred says why a declared cancellation cannot be brought about by any
// request; nil when there is nothing in the way.
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

// neverBarred: past the point of no return a cancellation cannot be aborted. A service
// that is to be reclaimed is not waiting for that.
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

// live: REQUESTED or IN_ERROR, "request not yet submitted to the carrier" (spec §3), and
// the carrier says that it can be altered.
func live(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	requested := status == carrier.CancellationRequested || status == carrier.CancellationInError
	return requested && (known.CanAbort || known.CanReschedule)
}

// pastReturn: handed to the carrier, or carried out. A request that was aborted or
// rejected is as good as none.
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

// cancelled says whether the carrier shows the service cancelled.
func cancelled(in *ServiceInput) bool {
	known := knownCancellation(in)
	return known != nil && known.Cancelled
}

// cancelledAsWanted: "mode OnDate and the carrier shows it cancelled: nothing else is
// compared".
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

// agree notes that the carrier's cancellation is as declared: from then on another one is
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

// declaredEnding is the declared cancellation in a word: its date, or none.
func declaredEnding(in *ServiceInput) string {
	return orElse(string(in.Service.Spec.Cancellation.Date), "none")
}

// desiredReclaim asks for a disconnected service back.
func desiredReclaim(in *ServiceInput) desiredChange {
	if in.Service.Spec.Disconnection != v1alpha1.DisconnectionReclaim || !cancelled(in) {
		return desiredChange{}
	}
	return desiredChange{operation: v1alpha1.OperationReclaim, changes: []v1alpha1.Change{{
		Operation: v1alpha1.OperationReclaim, Field: fieldDisconnection, From: "cancelled", To: "connected",
	}}}.orUnread(in)
}

// disconnected holds a modification of a service that has been cancelled: the carrier
// takes none until it is reclaimed. What a reclaim that succeeded did not bring back
// is a person's.
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

// AsWanted says whether a cancellation is as a request asked for it.
func AsWanted(request *v1alpha1.Request, known *v1alpha1.CancellationState) bool {
	if request.Operation == v1alpha1.OperationCancellationReschedule {
		return known.RequestDate == request.Target.Date && (live(known) || pastReturn(known))
	}
	return !live(known) && !pastReturn(known)
}

// aboutAnother says whether another cancellation has been requested since a request was
// sent: what became of that request says nothing about this one.
func aboutAnother(in *ServiceInput, request *v1alpha1.Request) bool {
	known := knownCancellation(in)
	return request.Operation.AltersCancellation() && known != nil && known.RequestedOn != request.Before.RequestedOn
}

// NotRequested says whether the carrier refused a request because no cancellation is
// requested: what was known of it is wrong then, and is "read again".
func NotRequested(request *v1alpha1.Request) bool {
	return request.Operation.AltersCancellation() && request.Error != nil &&
		request.Error.Code == string(carrier.SubCancellationNotRequested)
}
