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

const (
	moved, aborted = v1alpha1.OperationCancellationReschedule, v1alpha1.OperationCancellationAbort

	// notEligible is the code with which the requests of these tests fail.
	notEligible = string(carrier.SubNotEligibleForCancelling)
)

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
			r.Plan = []v1alpha1.Change{{Operation: operation, Field: "cancellation", From: "2026-11-30", To: "2026-12-31"}}
			r.EndedBy, r.Error = v1alpha1.EndedByCarrier, &v1alpha1.RequestError{HTTPStatus: 422, Code: notEligible}
			for _, edit := range edits {
				edit(r)
			}
		})(in)
		in.Ledger.Put(*in.Service.RequestOf(operation))
	}
}

// both makes two edits.
func both(first, second editInput) editInput {
	return func(in *services.Input) {
		first(in)
		second(in)
	}
}

// from makes an attempt alter the cancellation for another day.
func from(date string) editRequest { return func(r *v1alpha1.Request) { r.Plan[0].From = date } }

// notRequested makes an attempt end because no cancellation is requested.
func notRequested(r *v1alpha1.Request) { r.Error.Code = string(carrier.SubCancellationNotRequested) }

// sentAgo makes an attempt begin and end some time ago.
func sentAgo(long time.Duration) editRequest {
	return func(r *v1alpha1.Request) {
		at := metav1.NewTime(r.FinishedAt.Add(-long))
		r.SubmittedAt, r.FinishedAt = at, at
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
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	error422 := reads422(carrier.SubNotEligibleForCancelling)
	failed, current := altered(moved, v1alpha1.PhaseFailed), func(r *v1alpha1.Request) { r.Generation = 3 }
	ofGeneration := func(generation int64) editInput {
		return func(in *services.Input) { in.Memory.Readings.Cancellation.Generation = generation }
	}
	earlier := func(in *services.Input) {
		reading := &in.Memory.Readings.Cancellation
		reading.RequestedAt = reading.RequestedAt.Add(-time.Second)
	}
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
	}.run(t)
}

// Only the error of the newest request that the carrier accepted stands for a reading, as long as the
// cancellation is the one that this request was to alter.
func TestOnlyTheErrorOfTheNewestAcceptedAlterationIsOurs(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	another := endsOn(carrier.CancellationRequested, "2026-12-15")
	due := endsOn(carrier.CancellationRequested, "2026-03-01")
	error422 := reads422(carrier.SubNotEligibleForCancelling)
	failed, longAgo := altered(moved, v1alpha1.PhaseFailed), sentAgo(time.Hour)
	byPerson := func(r *v1alpha1.Request) { r.EndedBy, r.Error = v1alpha1.EndedByPerson, nil }
	withoutCode := func(r *v1alpha1.Request) { r.Error = decide.Because("the result shows something else") }
	uncoded := func(r *v1alpha1.Request) { r.Error = &v1alpha1.RequestError{HTTPStatus: 422} }
	corrected, none := ending("2026-10-31"), ending("")
	submit, waits := working("Submit"), judged{"Rest", decide.Working, "CarrierUnavailable"}
	cases{
		"the next one was rejected": {
			settled(none, requested, failed, altered(moved, v1alpha1.PhaseRejected), error422), submit,
		},
		"the next one was not accepted, as a person says": {
			settled(none, requested, failed, altered(aborted, v1alpha1.PhaseNotAccepted, byPerson, longAgo), error422), submit,
		},
		"the next one was given up, and may have been accepted": {
			settled(corrected, requested, failed, altered(aborted, v1alpha1.PhaseAbandoned, byPerson), error422), waits,
		},

		"ten requests have ended since": {settled(corrected, requested, failed, tenOthers, error422), submit},
		"the error has no code": {
			settled(corrected, requested, altered(moved, v1alpha1.PhaseFailed, uncoded), reads422("")), submit,
		},
		"its day has passed": {
			settled(corrected, due, altered(moved, v1alpha1.PhaseFailed, sentAgo(48*time.Hour), from("2026-03-01")), error422),
			waits,
		},
		"its day had passed before": {
			settled(corrected, due, altered(moved, v1alpha1.PhaseFailed, from("2026-03-01")), error422), submit,
		},
		"an older one ended later": {
			settled(corrected, requested, altered(moved, v1alpha1.PhaseAbandoned),
				altered(aborted, v1alpha1.PhaseFailed, longAgo), error422), waits,
		},
		"the next one was rejected, because none is requested": {
			settled(corrected, requested, failed, altered(aborted, v1alpha1.PhaseRejected, notRequested), error422), waits,
		},

		"another error": {
			settled(corrected, requested, failed, reads422(carrier.SubCancellationNotRequested)), waits,
		},
		"the result, not an error, showed the failure": {
			settled(corrected, requested, altered(moved, v1alpha1.PhaseFailed, withoutCode), reads422("")), waits,
		},
		"another cancellation was shown since": {settled(corrected, another, failed, error422), waits},
	}.run(t)
}

// tenOthers ends ten requests of another operation, which are then all that the ledger summarizes.
func tenOthers(in *services.Input) {
	for i := range 10 {
		in.Ledger.Put(v1alpha1.Request{
			AttemptID: fmt.Sprintf("other-%d", i), Operation: v1alpha1.OperationDSLStabilityProfileChange,
			Phase: v1alpha1.PhaseSucceeded,
		})
	}
}

// If the carrier continues to refuse to show the cancellation, and what it was before is not known or
// the error is not ours, only a person can help.
func TestACancellationThatIsNotShownIsReported(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	error422 := reads422(carrier.SubNotEligibleForCancelling)
	unknown := func(in *services.Input) {
		in.Service.Status.Carrier.Cancellation, in.Service.Status.Health = nil, &v1alpha1.HealthStatus{}
	}
	due := endsOn(carrier.CancellationRequested, "2026-03-01")
	passed := altered(moved, v1alpha1.PhaseFailed, sentAgo(48*time.Hour), from("2026-03-01"))
	alike := func(inARow int) editInput {
		return func(in *services.Input) {
			in.Memory.Readings.Cancellation.Failures, in.Memory.Readings.Cancellation.Alike = 9, inARow
		}
	}
	noBasis := altered(moved, v1alpha1.PhaseFailed, func(r *v1alpha1.Request) { r.Plan = nil })
	ofGeneration2 := func(in *services.Input) { in.Memory.Readings.Cancellation.Generation = 2 }
	agreed := func(in *services.Input) {
		in.Service.Status.Carrier.Cancellation.Agreed = string(in.Service.Spec.Cancellation.Date)
	}
	failed := altered(moved, v1alpha1.PhaseFailed)
	stuck := judged{"Rest", decide.Stuck, v1alpha1.ReasonNotEligibleForCancellation}
	working := judged{"Rest", decide.Working, v1alpha1.ReasonCarrierUnavailable}
	reads := judged{"StartReading cancellation", decide.Working, v1alpha1.ReasonProgressing}
	settledNow := judged{"Rest", decide.Settled, v1alpha1.ReasonInSync}
	cases{
		"after a failure of ours, it is not known": {
			settled(ending(""), justRead, unknown, noBasis, error422, alike(3)), stuck,
		},
		"it is not known, twice in a row": {
			settled(ending(""), justRead, unknown, noBasis, error422, alike(2)), working,
		},
		"nothing of ours has failed": {settled(ending(""), requested, error422, alike(3)), stuck},
		"the carrier is down":        {settled(ending(""), requested, isDown(), alike(3)), working},
		"ours has failed before the edit": {
			settled(ending(""), requested, failed, error422, ofGeneration2, alike(3)), working,
		},
		"its day has passed since ours has failed": {
			settled(ending("2026-11-30"), due, passed, error422, alike(3)), stuck,
		},
		"its day has passed, and it was agreed": {
			settled(ending("2026-03-01"), due, agreed, passed, error422, alike(3)), stuck,
		},
		"and nothing was read yet": {settled(ending("2026-03-01"), due, agreed, passed, neverRead), reads},
		"and the carrier is down":  {settled(ending("2026-03-01"), due, agreed, passed, isDown()), working},
		"and it was shown since":   {settled(ending("2026-03-01"), due, agreed, passed, justRead), settledNow},
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

// What a failed request was to alter is in the ledger. It is known again from there, if the carrier
// shows nothing but the error: after a conflict of the status, or for a new object.
func TestWhatAFailedRequestWasToAlterIsKnown(t *testing.T) {
	t.Parallel()
	error422 := reads422(carrier.SubNotEligibleForCancelling)
	for name, test := range map[string]struct {
		ended, reading editInput
		known          string
	}{
		"a retry of it was rejected": {both(
			altered(aborted, v1alpha1.PhaseFailed), altered(aborted, v1alpha1.PhaseRejected),
		), error422, "2026-11-30"},
		"it has failed":       {altered(aborted, v1alpha1.PhaseFailed), error422, "2026-11-30"},
		"it was rejected":     {altered(aborted, v1alpha1.PhaseRejected), error422, ""},
		"it has succeeded":    {altered(aborted, v1alpha1.PhaseSucceeded), error422, ""},
		"the carrier is down": {altered(aborted, v1alpha1.PhaseFailed), isDown(), ""},
		"none was requested": {
			altered(aborted, v1alpha1.PhaseFailed, notRequested), reads422(carrier.SubCancellationNotRequested), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(ending(""), justRead, test.ended, test.reading)
			view.Service.Status.Requests, view.Service.Status.Carrier.Cancellation = nil, nil
			services.UpdateState(&view)
			known := view.Service.Status.Carrier.Cancellation
			if (known != nil) != (test.known != "") || known != nil && known.RequestDate != test.known {
				t.Fatalf("known: %v", known)
			}
			decision := services.Decide(view)
			if _, sent := decision.Step.(decide.Submit); sent != (known != nil) {
				t.Errorf("%T: %s", decision.Step, decision.Verdict.Message)
			}
		})
	}
}

// What the carrier shows while a reschedule or abort of ours is in progress may be what that request
// is to set. It is not known yet, and not agreed: the request may fail.
func TestWhatIsShownDuringAnAlterationIsNotKnown(t *testing.T) {
	t.Parallel()
	aborted := carrier.Cancellation{Status: carrier.CancellationAborted, InProgress: true}
	for name, test := range map[string]struct {
		phase v1alpha1.RequestPhase
		want  string
	}{
		"of ours":          {v1alpha1.PhaseInProgress, "REQUESTED"},
		"of somebody else": {v1alpha1.PhaseSucceeded, "ABORTED"},
	} {
		view := settled(ending(""), endsOn(carrier.CancellationRequested, "2026-11-30"),
			rescheduling(test.phase, func(r *v1alpha1.Request) { r.Operation = v1alpha1.OperationCancellationAbort }))
		view.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingAnswered, Generation: 3, RequestedAt: view.Now.Add(time.Hour), Cancellation: aborted,
		}
		services.UpdateState(&view)
		known := view.Service.Status.Carrier.Cancellation
		if known.Status != test.want || known.Agreed != "" && test.phase == v1alpha1.PhaseInProgress {
			t.Errorf("%s: %s is known, and %q agreed", name, known.Status, known.Agreed)
		}
	}
}

// A cancellation that is not known, and of which a 202 shows what a request of ours is to set, is read
// again after a pause, and not at once.
func TestWhatIsShownDuringAnAlterationIsReadAgainLater(t *testing.T) {
	t.Parallel()
	view := settled(ending("2026-12-31"), justRead, rescheduling(v1alpha1.PhaseInProgress))
	view.Service.Status.Carrier.Cancellation = nil
	view.Memory.Attempts = map[string]decide.Attempt{"a-1": {FirstSeen: view.Now, LastPoll: view.Now}}
	shown := carrier.Cancellation{InProgress: true, RequestDate: "2026-12-31", Status: carrier.CancellationRequested}
	view.Memory.Readings.Cancellation = decide.Reading{
		State: decide.ReadingAnswered, Generation: 3, RequestedAt: view.Now, Modified: 1, Cancellation: shown,
	}
	services.UpdateState(&view)
	decision := services.Decide(view)
	if start, reads := decision.Step.(decide.StartReading); reads || view.Service.Status.Carrier.Cancellation != nil {
		t.Errorf("%v is read at once: %s", start.Topic, decision.Verdict.Message)
	}
}
