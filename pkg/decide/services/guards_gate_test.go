// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// unsent is an attempt that did not reach the carrier, and why.
func unsent(attempt int32, why *v1alpha1.RequestError) func(*v1alpha1.Request) {
	return func(r *v1alpha1.Request) { r.Attempt, r.Location, r.Error = attempt, "", why }
}

// Only the pause after a closed gate is short. A request that was not sent because there was no
// connection waits for the usual back-off.
func TestR12AClosedGateHasItsOwnPause(t *testing.T) {
	t.Parallel()
	closed, unconnected := decide.GateClosed(errors.New("it was changed")), &v1alpha1.RequestError{Message: "refused"}
	gateAt := func(at time.Duration) func(*services.Input) {
		return func(in *services.Input) { in.Memory.Gate.ClosedAt = decidetest.Start().Add(at) }
	}
	for name, test := range map[string]struct {
		edits []func(*services.Input)
		want  time.Duration // after which it is sent again
	}{
		"the first attempt, in another process": {
			[]func(*services.Input){with(v1alpha1.PhaseNotSent, unsent(1, closed))}, time.Second,
		},
		"the first attempt, to the fraction of a second": {
			[]func(*services.Input){with(v1alpha1.PhaseNotSent, unsent(1, closed)), gateAt(900 * time.Millisecond)},
			1900 * time.Millisecond,
		},
		"the third attempt": {[]func(*services.Input){with(v1alpha1.PhaseNotSent, unsent(3, closed))}, 4 * time.Second},
		"the hundredth attempt": {
			[]func(*services.Input){with(v1alpha1.PhaseNotSent, unsent(100, closed))}, time.Minute,
		},
		"no connection": {
			[]func(*services.Input){with(v1alpha1.PhaseNotSent, unsent(1, unconnected)), gateAt(0)}, 5 * time.Second,
		},
		"no connection for a long time": {
			[]func(*services.Input){with(v1alpha1.PhaseNotSent, unsent(9, unconnected))}, 5 * time.Minute,
		},
	} {
		edits := append([]func(*services.Input){wanting, at(time.Millisecond)}, test.edits...)
		decision := services.Decide(settled(edits...))
		got, step := decision.RequeueAt.Sub(decidetest.Start()), decidetest.StepName(decision.Step)
		if got != test.want || step != "Rest" {
			t.Errorf("%s: %s, %s, and again after %v, want %v", name, step, decision.Verdict.Message, got, test.want)
		}
	}
}

func TestR12TheNextAttemptWaitsUntilTheCacheShowsWhatTheGateSaw(t *testing.T) {
	t.Parallel()
	seen := func(uid string, generation int64) *v1alpha1.BroadbandService {
		return &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), Generation: generation}}
	}
	for name, test := range map[string]struct {
		gate decide.GateView
		want string
	}{
		"nothing":                     {decide.GateView{}, "Submit"},
		"what the cache shows":        {decide.GateView{Object: decide.VersionOf(seen("u-1", 3), seen("u-1", 3))}, "Submit"},
		"an older object":             {decide.GateView{Object: decide.VersionOf(seen("u-1", 2), seen("u-1", 2))}, "Submit"},
		"an object that was edited":   {decide.GateView{Object: decide.VersionOf(seen("u-1", 4), seen("u-1", 3))}, "Rest"},
		"another object of its name":  {decide.GateView{Object: decide.VersionOf(seen("u-2", 1), seen("u-1", 3))}, "Rest"},
		"an account that was edited":  {decide.GateView{Account: decide.VersionOf(seen("", 2), seen("", 1))}, "Rest"},
		"another account of its name": {decide.GateView{Account: decide.VersionOf(seen("a-2", 1), seen("", 1))}, "Rest"},
		"an account before it":        {decide.GateView{Account: decide.VersionOf(seen("a-2", 9), seen("a-1", 9))}, "Submit"},
	} {
		view := settled(wanting)
		view.Memory.Gate = test.gate
		if got := services.Decide(view); decidetest.StepName(got.Step) != test.want {
			t.Errorf("the gate saw %s: %s (%s)", name, decidetest.StepName(got.Step), got.Verdict.Message)
		}
	}
}
