// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// sameChangeFailed holds back a change after a definitive failure of the same change. The outcome of a
// request for something else, or about another cancellation, does not apply to this one.
func sameChangeFailed(in *Input, want decide.DesiredChange) *decide.Decision {
	last := lastOf(in, want.Operation)
	if last != nil && (isForAnotherCancellation(in, last) || isAnotherChange(in, last, want)) {
		return nil
	}
	held := decide.HeldBack(&in.Input, last)
	switch {
	case held == nil:
	case decide.ResultDiffers(last):
		return orSpelledDifferently(in, last, held)
	case held.Verdict.Reason == v1alpha1.ReasonNotFoundOrForbidden:
		held.Verdict = decide.RefusedAsNotFound(&in.Input, last, in.Service.ServiceNumber())
		held.Verdict.Message += decide.WhyRetryIgnored(&in.Input, last)
	}
	return held
}

// isAnotherChange reports whether an attempt was for a different change. If it succeeded with
// another value than requested, a change that requests one of the same values again is not
// different, whatever else is sent with it.
func isAnotherChange(in *Input, sent *v1alpha1.Request, want decide.DesiredChange) bool {
	if sent.BodyHash == "" || hasBody(in, sent, want) {
		return false
	}
	return !decide.ResultDiffers(sent) || !slices.ContainsFunc(want.Changes, func(change v1alpha1.Change) bool {
		samePlan := decide.SameName(sent.Target.Plan, want.Target.Plan)
		switch change.Field {
		case decide.FieldPlan:
			return samePlan
		case decide.FieldTerm:
			return samePlan && change.To == strconv.Itoa(int(sent.Target.Term))
		case decide.FieldSLA:
			return decide.SameName(sent.Target.RestorationSLA, change.To)
		}
		return false
	})
}

// hasBody reports whether an attempt was sent with the body of a change. A plan counts as the
// same if only its spelling differs, because the carrier has changed the spelling.
func hasBody(in *Input, sent *v1alpha1.Request, want decide.DesiredChange) bool {
	if decide.SameName(sent.Target.Plan, want.Target.Plan) {
		want.Target.Plan = sent.Target.Plan
		want = withBody(in, want)
	}
	return sent.BodyHash == decide.BodyHash(want.Body)
}

// waitsOrHeldBack reports whether a change waits for an open modification or is held back after a
// failure. No approval is requested for such a change. Otherwise a process without the reading
// would request an approval, a process with it would not, and each would undo the other's writes.
func waitsOrHeldBack(in *Input, want decide.DesiredChange) bool {
	return in.Service.OpenRequest() != nil || sameChangeFailed(in, want) != nil
}

// lastOf returns the newest request of an operation that reached the carrier, or may have. If a
// ledger was lost and its requests were abandoned, the result is the request that stands for all of
// them, except for reschedule and abort. It is not known what was sent before the loss, so
// abandoning that request abandons every operation of that generation.
func lastOf(in *Input, operation v1alpha1.Operation) *v1alpha1.Request {
	lost := decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	abandoned := lost != nil && lost.Phase == v1alpha1.PhaseAbandoned && decide.StandsForLostLedger(lost)
	if abandoned && !operation.AltersCancellation() {
		return lost
	}
	return decide.ReachedOf(&in.Input, operation)
}

// isForAnotherCancellation reports whether another cancellation has been requested since a request
// was sent. The outcome of that request does not apply to the new cancellation.
func isForAnotherCancellation(in *Input, request *v1alpha1.Request) bool {
	known := in.Service.LastKnown().Cancellation
	return request.Operation.AltersCancellation() && known != nil && known.RequestedOn != request.Before.RequestedOn
}

// orSpelledDifferently adds to the verdict on a result with another name how a person can confirm
// that it is the requested one. The carrier's offers are read before a confirmation is used.
func orSpelledDifferently(in *Input, last *v1alpha1.Request, held *decide.Decision) *decide.Decision {
	switch {
	case trustsResult(in, last) && !quoteFresh(in):
		return askPrice(in)
	case in.Service.Status.Handled.Trust == last.AttemptID:
		held.Verdict.Message += fmt.Sprintf(" (the annotation %s names this attempt, but the carrier is known to use that "+
			"name for something else)", v1alpha1.AnnotationTrust)
	case len(otherNames(in, last)) > 0:
		held.Verdict.Message += "; if it is what was requested, spelled differently, run: " +
			decide.AnnotateCommand(&in.Input, v1alpha1.AnnotationTrust, last.AttemptID)
	}
	held.Verdict.Message += decide.WhyRetryIgnored(&in.Input, last)
	return held
}

// askPrice reads the options, for the current approval if there is one.
func askPrice(in *Input) *decide.Decision { return askOffers(in, v1alpha1.AnnotationApprove) }

// askOffers reads the options for the current value of an annotation, if it has one.
func askOffers(in *Input, annotation string) *decide.Decision {
	step, at := decide.ReadingStep(&in.Input, decide.TopicOptions, decide.Control(in.Subject, annotation), decide.AtOnce)
	verdict := decide.Working.Verdict(v1alpha1.ReasonProgressing, "the price of the plan change is being read")
	reading := &in.Memory.Readings.Options
	if reading.State == decide.ReadingFailed || reading.Failures >= decide.FailuresShown {
		verdict = decide.Working.Verdict(v1alpha1.ReasonCarrierUnavailable,
			"the price of the plan change cannot be read: "+decide.ErrorText(reading.Err)+"; the read is retried")
	}
	return markTransient(in, &decide.Decision{Step: step, RequeueAt: at, Verdict: verdict}, decide.TopicOptions)
}
