// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A 202 says that a change of the cancellation is in progress: "202 while the request is in progress"
// (spec §1 rule 3). Until it ends, the old cancellation shows nothing about a reschedule or abort
// whose response was lost, and neither does the new one.
func TestACancellationThatIsBeingChangedProvesNothing(t *testing.T) {
	changing := func(after time.Duration) func(*services.Input) {
		return func(in *services.Input) {
			in.Memory.Readings.Cancellation = decide.Reading{
				State: decide.ReadingRecorded, RequestedAt: decidetest.Start().Add(after),
				Cancellation: carrier.Cancellation{InProgress: true},
			}
		}
	}
	lostly := rescheduling(v1alpha1.PhaseSubmitting, lost)
	const requested = carrier.CancellationRequested
	before, wanted := endsOn(requested, "2026-11-30"), endsOn(requested, "2026-12-31")
	another := rescheduling(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) {
		r.Before.RequestedOn = "2026-01-01T00:00:00Z"
	})
	const early, late = 15 * time.Second, 30 * time.Minute
	cases{
		"the old date: nothing is sent": {
			settled(ending("2026-12-31"), before, lostly, changing(early), at(16*time.Second)), working("Rest"),
		},
		"and it is read again": {
			settled(ending("2026-12-31"), before, lostly, changing(early), at(time.Minute)),
			working("StartReading cancellation"),
		},
		"the new date: not done yet": {
			settled(ending("2026-12-31"), wanted, lostly, changing(early), at(16*time.Second)), working("Rest"),
		},
		"another cancellation: not abandoned yet": {
			settled(ending("2026-12-31"), before, another, changing(early), at(16*time.Second)), working("Rest"),
		},
		"the old date after half an hour: unknown": {
			settled(ending("2026-12-31"), before, lostly, changing(late), at(late+time.Second)),
			working("Resolve OutcomeUnknown"),
		},
		"the new date after half an hour: done": {
			settled(ending("2026-12-31"), wanted, lostly, changing(late), at(late+time.Second)),
			working("Resolve Succeeded"),
		},
		"no later reading settles an unknown outcome while it lasts": {
			settled(ending("2026-12-31"), wanted, rescheduling(v1alpha1.PhaseOutcomeUnknown), changing(late), at(9*time.Hour)),
			judged{"StartReading cancellation", decide.Stuck, "OutcomeUnknown"},
		},
	}.run(t)
}

// An abort in progress looks like one that is done, and a response may show nothing at all.
func TestAnAbortInProgressIsNotDone(t *testing.T) {
	aborting := rescheduling(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationCancellationAbort, v1alpha1.RequestTarget{}
	})
	changing := func(in *services.Input) {
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingRecorded, RequestedAt: decidetest.Start().Add(30 * time.Minute),
			Cancellation: carrier.Cancellation{InProgress: true},
		}
	}
	unshown := func(in *services.Input) {
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingFailed, RequestedAt: in.Now, RetryAt: in.Now.Add(time.Minute),
			Err: &carrier.Error{HTTPStatus: 202, Class: carrier.ServerFault},
		}
	}
	refused := func(in *services.Input) {
		unshown(in)
		in.Memory.Readings.Cancellation.Err = &carrier.Error{HTTPStatus: 422, Class: carrier.Refused}
	}
	hidden := func(times int) func(*services.Input) {
		return func(in *services.Input) {
			refused(in)
			in.Memory.Readings.Cancellation.Failures, in.Memory.Readings.Cancellation.Alike = 9, times
			in.Memory.Readings.Cancellation.Err = &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden}
		}
	}
	readAt := func(after time.Duration) func(*services.Input) {
		return func(in *services.Input) {
			reading := &in.Memory.Readings.Cancellation
			reading.RequestedAt, reading.RetryAt = decidetest.Start().Add(after), in.Now
		}
	}
	cases{
		"the response before the abort was an error": {
			settled(ending(""), endsOn("", ""), aborting, at(31*time.Minute), refused, readAt(-time.Second)),
			working("StartReading cancellation"),
		},
		"the response right after the abort was an error": {
			settled(ending(""), endsOn("", ""), aborting, at(31*time.Minute), refused, readAt(14*time.Second)),
			working("StartReading cancellation"),
		},
		"the service is hidden once": {
			settled(ending(""), endsOn("", ""), aborting, at(31*time.Minute), hidden(1)), working("Rest"),
		},
		"the service is hidden twice in a row": {
			settled(ending(""), endsOn("", ""), aborting, at(31*time.Minute), hidden(2)), working("Resolve OutcomeUnknown"),
		},
		"the response is an error": {
			settled(ending(""), endsOn("", ""), aborting, at(29*time.Minute), refused), working("Rest"),
		},
		"the response is an error for half an hour": {
			settled(ending(""), endsOn("", ""), aborting, at(31*time.Minute), refused), working("Resolve OutcomeUnknown"),
		},
		"it shows no cancellation after half an hour": {
			settled(ending(""), endsOn("", ""), aborting, changing, at(31*time.Minute)), working("Resolve OutcomeUnknown"),
		},
		"the response shows nothing": {
			settled(ending(""), endsOn("", ""), aborting, at(29*time.Minute), unshown), working("Rest"),
		},
		"the response shows nothing for half an hour": {
			settled(ending(""), endsOn("", ""), aborting, at(31*time.Minute), unshown), working("Resolve OutcomeUnknown"),
		},
	}.run(t)
}

// What is only observed is not agreed: once it is managed, it is changed.
func TestAnObservedCancellationIsNotAgreed(t *testing.T) {
	t.Parallel()
	for _, policy := range []v1alpha1.ManagementPolicy{v1alpha1.ManagementObserve, v1alpha1.ManagementManage} {
		view := settled(ending("2026-12-31"), endsOn("", ""), func(in *services.Input) {
			in.Service.Spec.ManagementPolicy = policy
			in.Memory.Readings.Cancellation = decide.Reading{State: decide.ReadingRecorded, Generation: 3}
		})
		services.UpdateState(&view)
		if agreed := view.Service.Status.Carrier.Cancellation.Agreed; agreed != "" {
			t.Errorf("%s: %s is agreed, although no cancellation is requested", policy, agreed)
		}
	}
}

// The same later state is drift or a reason for a request, depending on whether the service was in
// sync before. So a new declaration is compared with a reading of its own, before it counts as in
// sync and before anything is sent.
func TestADeclaredCancellationIsReadOnceForItsGeneration(t *testing.T) {
	of := func(generation int64) func(*services.Input) {
		return func(in *services.Input) { in.Memory.Readings.Cancellation.Generation = generation }
	}
	unreadable := func(in *services.Input) {
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingFailed, RequestedAt: in.Now, RetryAt: in.Now.Add(time.Minute), Failures: 1,
			Err: &carrier.Error{HTTPStatus: 500, Class: carrier.ServerFault},
		}
	}
	changing := func(times int, ago time.Duration) func(*services.Input) {
		return func(in *services.Input) {
			reading := &in.Memory.Readings.Cancellation
			reading.Cancellation.InProgress, reading.Modified, reading.RequestedAt = true, times, in.Now.Add(-ago)
		}
	}
	agreed := func(in *services.Input) { in.Service.Status.Carrier.Cancellation.Agreed = "2026-12-31" }
	const requested = carrier.CancellationRequested
	asDeclared, another := endsOn(requested, "2026-12-31"), endsOn(requested, "2026-11-30")
	reads, inSync := working("StartReading cancellation"), judged{"Rest", decide.Settled, "InSync"}
	cases{
		"as declared, read before":  {settled(ending("2026-12-31"), asDeclared, of(2)), reads},
		"as declared, read since":   {settled(ending("2026-12-31"), asDeclared), inSync},
		"as declared, and agreed":   {settled(ending("2026-12-31"), asDeclared, of(2), agreed), inSync},
		"another date, read before": {settled(ending("2026-12-31"), another, of(2)), reads},
		"another date, read since":  {settled(ending("2026-12-31"), another), working("Submit")},
		"another date, but agreed": {
			settled(ending("2026-12-31"), another, of(2), agreed), judged{"Rest", decide.Stuck, "Drifted"},
		},
		"another date, cannot be read": {
			settled(ending("2026-12-31"), another, unreadable), judged{"Rest", decide.Working, "CarrierUnavailable"},
		},
		"it was read before a request": {
			settled(ending("2026-12-31"), another, of(2), rescheduling(v1alpha1.PhaseRejected, lost)),
			judged{"Rest", decide.Stuck, "CarrierRejected"},
		},
		"but not if another object sent it": {
			settled(ending("2026-12-31"), another, of(2), rescheduling(v1alpha1.PhaseSucceeded, func(r *v1alpha1.Request) {
				r.TakenOver = true
			})), reads,
		},
		"nothing is declared":           {settled(another, of(2)), inSync},
		"it is being changed":           {settled(ending("2026-12-31"), asDeclared, changing(1, 0)), working("Rest")},
		"and is read again":             {settled(ending("2026-12-31"), another, changing(1, 5*time.Minute)), reads},
		"and again":                     {settled(ending("2026-12-31"), another, changing(3, 20*time.Minute)), reads},
		"it always seems to be changed": {settled(ending("2026-12-31"), asDeclared, changing(4, 0)), inSync},
	}.run(t)
}

func TestACancellationIsNotInSyncBeforeItIsReadForItsDeclaration(t *testing.T) {
	t.Parallel()
	for generation, want := range map[int64]metav1.ConditionStatus{2: metav1.ConditionUnknown, 3: metav1.ConditionTrue} {
		view := settled(ending("2026-12-31"), endsOn(carrier.CancellationRequested, "2026-12-31"))
		view.Memory.Readings.Cancellation.Generation = generation
		for _, aspect := range services.Decide(view).Aspects {
			if aspect.Type == v1alpha1.ConditionCancellationSynced && aspect.Status != want {
				t.Errorf("read for generation %d: %s, %s", generation, aspect.Status, aspect.Message)
			}
		}
	}
}
