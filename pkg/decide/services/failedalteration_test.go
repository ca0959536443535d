// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

type (
	editInput   = func(*services.Input)
	editRequest = func(*v1alpha1.Request)
)

// notEligible is the code with which the requests of these tests fail.
const notEligible = string(carrier.SubNotEligibleForCancelling)

// altered adds an attempt to alter the cancellation that has ended to the ledger and to the status.
func altered(operation v1alpha1.Operation, phase v1alpha1.RequestPhase, edits ...editRequest) editInput {
	return func(in *services.Input) {
		if in.Ledger == nil {
			in.Ledger = &v1alpha1.RequestLedger{}
		}
		rescheduling(phase, func(r *v1alpha1.Request) {
			r.Operation, r.AttemptID = operation, fmt.Sprintf("a-%d", len(in.Ledger.Spec.Ended)+1)
			r.Generation, r.UID = 2, string(in.Service.UID)
			r.SubmittedAt, r.FinishedAt = metav1.NewTime(in.Now), metav1.NewTime(in.Now)
			r.EndedBy, r.Error = v1alpha1.EndedByCarrier, &v1alpha1.RequestError{HTTPStatus: 422, Code: notEligible}
			for _, edit := range edits {
				edit(r)
			}
		})(in)
		in.Ledger.Put(*in.Service.RequestOf(operation))
	}
}

// reads422 is a reading of the cancellation that the carrier has answered with an error.
func reads422(code carrier.SubErrorCode) editInput {
	return failsToRead(&carrier.Error{
		HTTPStatus: 422, Class: carrier.Refused, SubErrors: []carrier.SubError{{Code: code, Message: "not eligible"}},
	})
}

// isDown is a reading of the cancellation that has just met a carrier that is down.
func isDown() editInput {
	return failsToRead(&carrier.Error{HTTPStatus: 503, Class: carrier.ServerFault})
}

// failsToRead is a reading of the cancellation that has just failed.
func failsToRead(err error) editInput {
	return func(in *services.Input) {
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingFailed, Generation: in.Service.Generation, RequestedAt: in.Now,
			RetryAt: in.Now.Add(time.Minute), Failures: 1, Err: err,
		}
	}
}

// The carrier answers the read of a cancellation with the error of the last request to alter it, if
// that has failed. What comes next is sent on what is known, because no other answer will come.
func TestACancellationIsAlteredAgainAfterAFailure(t *testing.T) {
	const moved, aborted = v1alpha1.OperationCancellationReschedule, v1alpha1.OperationCancellationAbort
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	error422 := reads422(carrier.SubNotEligibleForCancelling)
	failed, current := altered(moved, v1alpha1.PhaseFailed), func(r *v1alpha1.Request) { r.Generation = 3 }
	byPerson := func(r *v1alpha1.Request) { r.EndedBy, r.Error = v1alpha1.EndedByPerson, nil }
	withoutCode := func(r *v1alpha1.Request) { r.Error = decide.Because("the result shows something else") }
	ofGeneration := func(generation int64) editInput {
		return func(in *services.Input) { in.Memory.Readings.Cancellation.Generation = generation }
	}
	earlier := func(in *services.Input) {
		reading := &in.Memory.Readings.Cancellation
		reading.RequestedAt = reading.RequestedAt.Add(-time.Second)
	}
	longAgo := func(r *v1alpha1.Request) { r.FinishedAt = metav1.NewTime(r.FinishedAt.Add(-time.Hour)) }
	sameDate, corrected, none := ending("2026-12-31"), ending("2026-10-31"), ending("")
	submit, reads := working("Submit"), working("StartReading cancellation")
	waits := judged{"Rest", decide.Working, "CarrierUnavailable"}
	heldBack := judged{"Rest", decide.Stuck, v1alpha1.ReasonNotEligibleForCancellation}
	cases{
		"the same date is held back": {
			settled(sameDate, requested, altered(moved, v1alpha1.PhaseFailed, current), error422), heldBack,
		},
		"a corrected date":                 {settled(corrected, requested, failed, error422), submit},
		"an abort instead":                 {settled(none, requested, failed, error422), submit},
		"it was read before the edit":      {settled(corrected, requested, failed, error422, ofGeneration(2)), waits},
		"it was read before the failure":   {settled(corrected, requested, failed, error422, earlier), waits},
		"it was never read since the edit": {settled(corrected, requested, failed, neverRead), reads},
		"nothing of ours has failed":       {settled(corrected, requested, error422), waits},
		"the carrier is down": {
			settled(corrected, requested, failed, isDown()), waits,
		},
		"ours was carried out after all": {
			settled(corrected, requested, failed, altered(moved, v1alpha1.PhaseSucceeded), error422), waits,
		},

		"the next one was rejected": {
			settled(none, requested, failed, altered(moved, v1alpha1.PhaseRejected), error422), submit,
		},
		"the next one was not accepted, as a person says": {
			settled(none, requested, failed, altered(aborted, v1alpha1.PhaseNotAccepted, byPerson, longAgo), error422), submit,
		},
		"the next one was given up, and may have been accepted": {
			settled(corrected, requested, failed, altered(aborted, v1alpha1.PhaseAbandoned, byPerson), error422), waits,
		},

		"another error": {
			settled(corrected, requested, failed, reads422(carrier.SubCancellationNotRequested)), waits,
		},
		"the result, not an error, showed the failure": {
			settled(corrected, requested, altered(moved, v1alpha1.PhaseFailed, withoutCode), reads422("")), waits,
		},
		"another cancellation was shown since": {
			settled(corrected, requested, altered(moved, v1alpha1.PhaseFailed, longAgo), error422), waits,
		},
	}.run(t)
}

// If the carrier continues to refuse to show the cancellation, and what it was before is not known or
// the error is not ours, only a person can help.
func TestACancellationThatIsNotShownIsReported(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	error422 := reads422(carrier.SubNotEligibleForCancelling)
	unknown := func(in *services.Input) {
		in.Service.Status.Carrier.Cancellation, in.Service.Status.Health = nil, &v1alpha1.HealthStatus{}
	}
	failures := func(inARow int) editInput {
		return func(in *services.Input) { in.Memory.Readings.Cancellation.Failures = inARow }
	}
	failed := altered(v1alpha1.OperationCancellationReschedule, v1alpha1.PhaseFailed)
	stuck := judged{"Rest", decide.Stuck, v1alpha1.ReasonNotEligibleForCancellation}
	working := judged{"Rest", decide.Working, v1alpha1.ReasonCarrierUnavailable}
	cases{
		"after a failure of ours, it is not known": {
			settled(ending(""), justRead, unknown, failed, error422, failures(3)), stuck,
		},
		"once more before that":      {settled(ending(""), justRead, unknown, failed, error422, failures(2)), working},
		"nothing of ours has failed": {settled(ending(""), requested, error422, failures(3)), stuck},
		"the carrier is down": {
			settled(ending(""), requested, isDown(), failures(3)),
			working,
		},
	}.run(t)
}

// A failed request has changed nothing. If the spec now declares what the carrier had before, that is
// agreed, and a later change by somebody else is drift.
func TestWhatWasKnownBeforeAFailureIsAgreed(t *testing.T) {
	t.Parallel()
	view := settled(ending("2026-11-30"), endsOn(carrier.CancellationRequested, "2026-11-30"),
		altered(v1alpha1.OperationCancellationAbort, v1alpha1.PhaseFailed), reads422(carrier.SubNotEligibleForCancelling))
	services.UpdateState(&view)
	decision := services.Decide(view)
	known := view.Service.Status.Carrier.Cancellation
	if known.Agreed != "2026-11-30" || decision.Verdict.State != decide.Settled {
		t.Errorf("%q is agreed, and %s: %s", known.Agreed, decision.Verdict.Reason, decision.Verdict.Message)
	}
	moved := view
	known.RequestDate = "2026-12-31"
	justRead(&moved)
	decision = services.Decide(moved)
	if !decide.IsRest(decision.Step) || decision.Verdict.Reason != v1alpha1.ReasonDrifted {
		t.Errorf("after it was moved: %T, %s: %s", decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
	}
}

// What was known before a request is kept if the request has failed, even if the status does not show
// that yet: the carrier may not show the cancellation any more.
func TestAFailureDoesNotForgetTheCancellation(t *testing.T) {
	t.Parallel()
	notRequested := func(r *v1alpha1.Request) { r.Error.Code = string(carrier.SubCancellationNotRequested) }
	for name, test := range map[string]struct {
		end  func(*services.Input)
		kept bool
	}{
		"failed":        {altered(v1alpha1.OperationCancellationAbort, v1alpha1.PhaseFailed), true},
		"rejected":      {altered(v1alpha1.OperationCancellationAbort, v1alpha1.PhaseRejected), true},
		"not requested": {altered(v1alpha1.OperationCancellationAbort, v1alpha1.PhaseRejected, notRequested), false},
		"succeeded":     {altered(v1alpha1.OperationCancellationAbort, v1alpha1.PhaseSucceeded), false},
		"abandoned":     {altered(v1alpha1.OperationCancellationAbort, v1alpha1.PhaseAbandoned), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(ending(""), endsOn(carrier.CancellationRequested, "2026-11-30"), test.end)
			view.Service.Status.Requests = nil // the write of the status has met a conflict
			services.Project(view.Service, view.Ledger, decide.Clock{Now: view.Now})
			if kept := view.Service.Status.Carrier.Cancellation != nil; kept != test.kept {
				t.Errorf("kept: %t", kept)
			}
		})
	}
}
