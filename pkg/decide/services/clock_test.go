// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// ahead is the error of the clock of the process that wrote a request.
const ahead = 7 * 24 * time.Hour

// writtenAhead sets all times of a request to a week after the start, as a process whose clock is
// ahead would write them.
func writtenAhead(request *v1alpha1.Request) {
	for _, at := range []*metav1.Time{&request.SubmittedAt, &request.FinishedAt, &request.LostSince} {
		if !at.IsZero() {
			at.Time = decidetest.Start().Add(ahead)
		}
	}
}

// seenAhead makes a process see the times for the first time at the start.
func seenAhead(in *services.Input) {
	in.Memory.FutureTimes, _ = decide.FindFutureTimes(&in.Input)
}

// A request that was sent by a host whose clock was a week ahead was once not polled for a week.
func TestR19ATimeInTheFutureCountsAsNow(t *testing.T) {
	t.Parallel()
	finished := func(request *v1alpha1.Request) { request.FinishedAt = metav1.NewTime(decidetest.Start()) }
	forbidden := func(request *v1alpha1.Request) {
		finished(request)
		request.Error = &v1alpha1.RequestError{HTTPStatus: 404}
	}
	gone := func(request *v1alpha1.Request) { request.LostSince = metav1.NewTime(decidetest.Start()) }
	for name, row := range map[string]struct {
		phase v1alpha1.RequestPhase
		edit  func(*v1alpha1.Request)
		soon  time.Duration // deadline for the next action, from when it was first seen
	}{
		"a request in progress is polled":              {v1alpha1.PhaseInProgress, func(*v1alpha1.Request) {}, time.Minute},
		"one that was not sent is sent again":          {v1alpha1.PhaseNotSent, finished, time.Minute},
		"one that was answered with 403 is sent again": {v1alpha1.PhaseRejected, forbidden, 11 * time.Minute},
		"a lost Location counts as lost":               {v1alpha1.PhaseInProgress, gone, 25 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(wanting, with(row.phase, row.edit, writtenAhead), at(0))
			seenAhead(&view)
			view.Now = decidetest.Start().Add(row.soon)
			view.Memory.FutureTimes, _ = decide.FindFutureTimes(&view.Input)
			if decision := services.Decide(view); isRest(decision.Step) {
				t.Errorf("nothing is done: %s, next look in %s", decision.Verdict.Message, decision.RequeueAt.Sub(view.Now))
			}
		})
	}
}

func isRest(step decide.Step) bool {
	_, rests := step.(decide.Rest)
	return rests
}

func TestR19AWaitIsMeasuredFromFirstSight(t *testing.T) {
	t.Parallel()
	view := settled(wanting, with(v1alpha1.PhaseNotSent, func(request *v1alpha1.Request) {
		request.FinishedAt = metav1.NewTime(decidetest.Start())
	}, writtenAhead), at(0))
	seenAhead(&view)
	for _, after := range []time.Duration{0, 4 * time.Second} {
		view.Now = decidetest.Start().Add(after)
		decision := services.Decide(view)
		if !isRest(decision.Step) || !decision.RequeueAt.Equal(decidetest.Start().Add(5*time.Second)) {
			t.Errorf("after %s: %T, next look at %s", after, decision.Step, decision.RequeueAt)
		}
	}
}

func TestR19ATimeInTheFutureIsReportedOnce(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ahead    time.Duration
		reported bool
	}{
		"a week":                            {ahead, true},
		"a usual difference between clocks": {20 * time.Second, false},
		"not in the future":                 {-time.Hour, false},
		"exactly at present":                {0, false},
	} {
		view := settled(with(v1alpha1.PhaseInProgress, func(request *v1alpha1.Request) {
			request.SubmittedAt = metav1.NewTime(decidetest.Start().Add(row.ahead))
		}), at(0))
		held, report := decide.FindFutureTimes(&view.Input)
		if (report != "") != row.reported {
			t.Errorf("%s: %q", name, report)
		}
		if (len(held) > 0) != (row.ahead > 0) {
			t.Errorf("%s: %v", name, held)
		}
		view.Memory.FutureTimes, view.Now = held, decidetest.Start().Add(time.Second)
		if _, again := decide.FindFutureTimes(&view.Input); again != "" {
			t.Errorf("%s: it is reported again: %q", name, again)
		}
	}
}

// A process whose own clock jumps ahead, or that takes over from one whose clock was behind, must
// not repeat a request before the first one may have ended.
func TestR19AClockChangeDoesNotMakeARepeatEarlier(t *testing.T) {
	t.Parallel()
	unanswered := func(in *services.Input) {
		in.Service.Spec.DSLStabilityProfile = "Stable"
		with(v1alpha1.PhaseSubmitting, func(request *v1alpha1.Request) {
			request.Operation, request.Target = v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.RequestTarget{
				DSLStabilityProfile: "Stable",
			}
			request.Error = &v1alpha1.RequestError{Message: "lost"}
			request.SubmittedAt = metav1.NewTime(decidetest.Start().Add(-time.Hour))
		})(in)
		in.Memory.Attempts["a-1"] = decide.Attempt{FirstSeen: decidetest.Start()}
	}
	for _, row := range []struct {
		after   time.Duration
		repeats bool
	}{{0, false}, {14 * time.Minute, false}, {15 * time.Minute, true}} {
		if decision := services.Decide(settled(unanswered, at(row.after))); isRest(decision.Step) == row.repeats {
			t.Errorf("after %s: %T (%s)", row.after, decision.Step, decision.Verdict.Message)
		}
	}
}
