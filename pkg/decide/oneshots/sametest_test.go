// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

func changesOf(testType string) []v1alpha1.Change {
	return []v1alpha1.Change{{Operation: v1alpha1.OperationDiagnosticTest, Field: "testType", To: testType}}
}

// A tool that deletes and creates a test at every sync would interrupt the customer's service each
// time, so a test that repeats one of the last hour is approved by a person.
func TestATestThatRepeatsOneOfTheLastHourIsApproved(t *testing.T) {
	t.Parallel()
	earlier := func(before time.Duration, edit func(*v1alpha1.EndedAttempt)) []v1alpha1.EndedAttempt {
		attempt := v1alpha1.EndedAttempt{
			AttemptID: "a-1", UID: "deleted", Operation: v1alpha1.OperationDiagnosticTest, Changes: changesOf("port-reset"),
			Outcome: v1alpha1.PhaseSucceeded, SubmittedAt: metav1.NewTime(decidetest.Start().Add(-before)),
		}
		if edit != nil {
			edit(&attempt)
		}
		return []v1alpha1.EndedAttempt{attempt}
	}
	ended := func(outcome v1alpha1.RequestPhase) func(*v1alpha1.EndedAttempt) {
		return func(attempt *v1alpha1.EndedAttempt) { attempt.Outcome = outcome }
	}
	full := func(oldest time.Duration) (attempts []v1alpha1.EndedAttempt) {
		for range 10 {
			attempts = append(attempts, earlier(oldest, func(a *v1alpha1.EndedAttempt) { a.Changes = changesOf("loopback") })...)
		}
		return attempts
	}
	const hour = time.Hour
	for name, test := range map[string]struct {
		ended []v1alpha1.EndedAttempt
		asks  bool
	}{
		"none":                                      {},
		"the same, a moment ago":                    {earlier(time.Second, nil), true},
		"the same, just within the hour":            {earlier(hour-time.Second, nil), true},
		"the same, an hour ago":                     {earlier(hour, nil), false},
		"the same, sent after this one was created": {earlier(-time.Second, nil), true},
		"the same, abandoned":                       {earlier(time.Minute, ended(v1alpha1.PhaseAbandoned)), true},
		"the same, failed":                          {earlier(time.Minute, ended(v1alpha1.PhaseFailed)), true},
		"the same, which never reached the carrier": {earlier(time.Minute, ended(v1alpha1.PhaseNotSent)), false},
		"another test": {
			earlier(time.Minute, func(a *v1alpha1.EndedAttempt) { a.Changes = changesOf("loopback") }), false,
		},
		"its own attempt": {earlier(time.Minute, func(a *v1alpha1.EndedAttempt) { a.UID = "me" }), false},
		"ten others within the hour, so the same may have been dropped": {full(hour - time.Second), true},
		"ten others, the oldest an hour ago":                            {full(hour), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := portResetAfter(test.ended)
			says := strings.Contains(decision.Verdict.Message, "(attempt a-1)")
			waits := decidetest.StepName(decision.Step) == "Rest" && decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval
			if waits != test.asks || says != test.asks {
				t.Errorf("%s %s", decidetest.StepName(decision.Step), decision.Verdict)
			}
		})
	}
}

// portResetAfter returns the decision about a port-reset after these attempts of its service.
func portResetAfter(ended []v1alpha1.EndedAttempt) decide.Decision {
	object := &v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{
		Name: "me", UID: "me", CreationTimestamp: metav1.NewTime(decidetest.Start()),
	}}
	view := decidetest.Input(object)
	view.Ledger = &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Diagnostics: &v1alpha1.LedgerService{ID: "1"}, Ended: ended,
	}}
	return oneshots.Decide(oneshots.Input{
		Input: view, ServiceID: "1", Test: object,
		Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest, Changes: changesOf("port-reset")},
	})
}
