// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The reasons for these guards are in docs/design/0031-a-repeat-is-a-new-request.md.

// repeatHeld returns why a service's repeat is not sent now; nil if it is sent. It asks the
// guards of a first request, in the same order: whether the object sends at all, whether the
// request is wanted and approved and, by a new reading, still necessary. Guards that apply to no
// repeated operation, such as the price, are omitted.
func repeatHeld(in *Input, open *v1alpha1.Request) *decide.Decision {
	if held := heldBy(in, open, policyStopsRepeat, changesAreOnlyPlanned, installationIsUnacknowledged,
		serviceIsSuspended, requestMustWait); held != nil {
		return held
	}
	if why := whyNotSentNow(in, open); why != "" {
		return notRepeated(in, open, why)
	}
	if open.ApprovedHash != "" && decide.Control(in.Subject, v1alpha1.AnnotationApprove) != open.ApprovedHash {
		return decide.RestWaiting(v1alpha1.ReasonAwaitingApproval, fmt.Sprintf(
			"the approval %s was withdrawn: %s", open.ApprovedHash, whetherSentAgain(in, open, decide.Waiting)))
	}
	return heldBy(in, open, versionIsTooOld, basisIsOutdated)
}

func heldBy(in *Input, open *v1alpha1.Request, guards ...guard) *decide.Decision {
	again := decide.DesiredChange{Operation: open.Operation, Target: open.Target, Changes: open.Changes()}
	held := firstHolding(in, again, guards)
	if held != nil {
		held.Verdict.Message += "; " + whetherSentAgain(in, open, held.Verdict.State)
	}
	return held
}

// whetherSentAgain says what happens to an attempt while its repeat is held back. While the
// object is Working, the hold ends without any action by a person.
func whetherSentAgain(in *Input, open *v1alpha1.Request, held decide.State) string {
	again := "is not sent again"
	if held == decide.Working {
		again = "is sent again after that, if it is still wanted then"
	}
	return fmt.Sprintf("%s attempt %s, whose response was lost, %s; to resolve it by hand: %s",
		open.Operation, open.AttemptID, again, decide.ResolveHint(&in.Input, open))
}

// policyStopsRepeat is the guard policyIsObserve for a service that is not in sync.
func policyStopsRepeat(in *Input, _ decide.DesiredChange) *decide.Decision {
	if !in.Service.OnlyObserves() {
		return nil
	}
	return decide.RestWaiting(v1alpha1.ReasonObserving, "managementPolicy is Observe")
}

// whyNotSentNow returns why the operator would not send the same request now if it had not been
// sent before (R33); "" if it would. The spec and state no longer require it, the carrier accepts
// no changes of the service, or the request lacks an approval that it needs.
func whyNotSentNow(in *Input, open *v1alpha1.Request) string {
	want := wantedNow(in, open.Operation)
	same := open.Target.Date == want.Target.Date &&
		decide.SameName(open.Target.DSLStabilityProfile, want.Target.DSLStabilityProfile)
	// An approval is for this object in its present generation (R8).
	approved := open.ApprovedHash != "" && !open.TakenOver && open.Generation == in.Service.Generation
	switch {
	case !want.Wanted(), !same:
		return "it is no longer what the spec and the known state of the service require"
	case isCancelled(in) && want.Operation != v1alpha1.OperationReclaim:
		return "the service is cancelled by now"
	case needsApproval(unsent(in, open), want) && !approved:
		return "it now needs an approval that it does not have"
	}
	return ""
}

func wantedNow(in *Input, operation v1alpha1.Operation) decide.DesiredChange {
	for _, want := range append(slices.Clone(in.wanted.changes), desiredCancellation(in)) {
		if want.Operation == operation && want.Wanted() {
			return want
		}
	}
	return decide.DesiredChange{}
}

func unsent(in *Input, open *v1alpha1.Request) *Input {
	before := *in
	before.Service = in.Service.DeepCopy()
	before.Service.Status.Requests = slices.DeleteFunc(before.Service.Status.Requests, func(one v1alpha1.Request) bool {
		return one.AttemptID == open.AttemptID
	})
	return &before
}

// notRepeated ends a request that is not repeated. The value that it changes is read first: the
// reading may show that the request has reached its target, or is wanted after all. An unchanged
// cancellation shows that the request was not carried out. Otherwise the outcome is unknown.
func notRepeated(in *Input, open *v1alpha1.Request, why string) *decide.Decision {
	if unread := awaitOutcome(in, open); unread != nil {
		return unread
	}
	unknown := decide.WhyUnknown(open).DeepCopy()
	because := func(text string) string {
		return decide.Bounded(decide.JoinTexts(unknown.Message, text+"it is not sent again, because "+why), decide.MaxMessage)
	}
	if !open.Operation.AltersCancellation() {
		unknown.Message = because("")
		return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseOutcomeUnknown, unknown)
	}
	read := decide.FormatTime(&in.Input, in.Memory.Readings.Cancellation.RequestedAt)
	return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseAbandoned, decide.Because(because(
		"the cancellation had not changed at "+read+", and ")))
}

// awaitOutcome waits for a reading of what a request changes, if it can be read. The reading must be
// from after the end of the attempt, and at most ten minutes old.
func awaitOutcome(in *Input, open *v1alpha1.Request) *decide.Decision {
	on, readable := basisOf(in, open.Operation)
	at := countsFrom(in, open)
	switch {
	case !readable:
		return nil
	case in.Memory.Readings.Of(on.topic).RequestedAt.Before(at):
		return awaitEvidence(in, open, on.topic, on.what, at)
	}
	return heldBy(in, open, basisIsOutdated)
}
