// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// laneCase is the content of the ledger of the tests of a service.
type laneCase struct {
	open  []v1alpha1.Request
	ended time.Duration // how long ago the newest attempt ended; 0: no attempt
	lane  oneshots.Lane

	step   string
	reason string
	stands decide.State
	again  time.Duration
}

func (s laneCase) run(t *testing.T) {
	t.Helper()
	view := decidetest.Input(&v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{Name: "me", UID: "me"}})
	view.Ledger = &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Diagnostics: &v1alpha1.LedgerService{ID: "1"}, Open: s.open,
	}}
	if s.ended > 0 {
		view.Ledger.Spec.Ended = []v1alpha1.EndedAttempt{{FinishedAt: metav1.NewTime(view.Now.Add(-s.ended))}}
	}
	decision := oneshots.Decide(oneshots.Input{
		Input: view, ServiceID: "1", Lane: s.lane, Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest},
	})
	again := time.Duration(0)
	if !decision.RequeueAt.IsZero() {
		again = decision.RequeueAt.Sub(view.Now)
	}
	verdict := decision.Verdict
	saidElse := verdict.Reason != s.reason || verdict.State != s.stands
	if decidetest.StepName(decision.Step) != s.step || saidElse || again != s.again {
		t.Errorf("%s, %s %s (%s), again after %v", decidetest.StepName(decision.Step), verdict.State, verdict.Reason,
			verdict.Message, again)
	}
}

func TestR3ATestWaitsForTheOneBeforeIt(t *testing.T) {
	t.Parallel()
	const waits = v1alpha1.ReasonAnotherTestInProgress
	others := v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a", UID: "other", Phase: v1alpha1.PhaseInProgress,
	}
	open := []v1alpha1.Request{others}
	left := func(state decide.State, reason string, at time.Duration) oneshots.Lane {
		decision := &decide.Decision{Step: decide.Rest{}, Verdict: decide.Verdict{State: state, Reason: reason}}
		if at > 0 {
			decision.RequeueAt = decidetest.Input(nil).Now.Add(at)
		}
		return oneshots.Lane{Open: &others, Decision: decision}
	}
	for name, test := range map[string]laneCase{
		"no other test": {step: "Submit", reason: v1alpha1.ReasonProgressing, stands: decide.Working},
		"another test is in progress": {
			open: open, lane: oneshots.Lane{Open: &others, Owner: "shop/first"},
			step: "Rest", reason: waits, stands: decide.Working,
		},
		"another test has an unknown outcome": {
			open: []v1alpha1.Request{{AttemptID: "a", UID: "other", Phase: v1alpha1.PhaseOutcomeUnknown}},
			lane: oneshots.Lane{Open: &others, Owner: "shop/first"},
			step: "Rest", reason: waits, stands: decide.Stuck,
		},
		"another test started after the lane was read": {
			open: open, step: "Rest", reason: waits, stands: decide.Working, again: time.Second,
		},
		"a deleted test is in progress": {
			open: open, lane: left(decide.Working, v1alpha1.ReasonProgressing, time.Minute),
			step: "Rest", reason: waits, stands: decide.Working, again: time.Minute,
		},
		"a deleted test has an unknown outcome": {
			open: open, lane: left(decide.Stuck, v1alpha1.ReasonOutcomeUnknown, 0),
			step: "Rest", reason: waits, stands: decide.Stuck,
		},
		"another test has just ended, and an older one waits": {
			ended: 20 * time.Second, lane: oneshots.Lane{Next: "shop/second"},
			step: "Rest", reason: waits, stands: decide.Working, again: 40 * time.Second,
		},
		"the older one was not sent within a minute": {
			ended: time.Minute, lane: oneshots.Lane{Next: "shop/second"},
			step: "Submit", reason: v1alpha1.ReasonProgressing, stands: decide.Working,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

func TestR3TheTestThatHasWaitedLongestIsNext(t *testing.T) {
	t.Parallel()
	made := func(uid string, at time.Duration) *v1alpha1.DiagnosticTest {
		test := &v1alpha1.DiagnosticTest{}
		test.Name, test.CreationTimestamp = uid, metav1.NewTime(decidetest.Start().Add(at))
		test.UID = types.UID(uid)
		return test
	}
	for _, order := range [][2]*v1alpha1.DiagnosticTest{
		{made("b", 0), made("a", time.Second)}, {made("a", 0), made("b", 0)},
	} {
		if !oneshots.HasPrecedence(order[0], order[1]) || oneshots.HasPrecedence(order[1], order[0]) {
			t.Errorf("%s and %s", order[0].Name, order[1].Name)
		}
	}
}
