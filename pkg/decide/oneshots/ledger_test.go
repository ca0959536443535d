// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// testCase is a diagnostic test, the ledger of the tests of its service, and the expected result.
type testCase struct {
	marked   bool                  // whether it has the finalizer
	shown    v1alpha1.RequestPhase // in its status; "" for no request
	recorded v1alpha1.RequestPhase // its attempt in the ledger; "" for none
	another  bool                  // whether another test has ended since
	lost     bool

	losing string                // the code of the placeholder attempt for what was lost
	shows  v1alpha1.RequestPhase // the phase that the status shows then
}

func (s testCase) attempt(phase v1alpha1.RequestPhase) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a", UID: "me", Generation: 1, Phase: phase,
		BodyHash: "sha256:1", Location: "/tests/1", APIVersion: 8, EndedBy: v1alpha1.EndedByCarrier,
		Login: decidetest.Login(),
	}
}

func (s testCase) test() (*v1alpha1.DiagnosticTest, *v1alpha1.RequestLedger) {
	test := &v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{UID: "me", Name: "once", Generation: 1}}
	if s.marked {
		test.Finalizers = []string{v1alpha1.Finalizer}
	}
	if s.shown != "" {
		test.Record().PutRequest(s.attempt(s.shown))
	}
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Login: decidetest.Login(),
	}}
	if s.recorded != "" {
		ledger.Open(s.attempt(s.recorded))
	}
	if s.another {
		other := s.attempt(v1alpha1.PhaseSucceeded)
		other.AttemptID, other.UID = "b", "other"
		ledger.Open(other)
	}
	return test, ledger
}

func TestR24ATestIsRunOnceEvenIfItsStatusIsLost(t *testing.T) {
	t.Parallel()
	const (
		submitting, inProgress = v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress
		succeeded, failed      = v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed
		restored, ledgerLost   = v1alpha1.ReasonStatusLost, v1alpha1.ReasonLedgerLost
	)
	for name, test := range map[string]testCase{
		"new":                                  {},
		"restored with its finalizer":          {marked: true, losing: restored},
		"in progress":                          {marked: true, shown: inProgress, recorded: inProgress, shows: inProgress},
		"in progress, and its status emptied":  {marked: true, recorded: inProgress, shows: inProgress},
		"in progress, and its status is older": {marked: true, shown: submitting, recorded: inProgress, shows: inProgress},
		"in progress, and its ledger is lost":  {marked: true, shown: inProgress, lost: true, losing: ledgerLost},
		"done":                                 {marked: true, shown: succeeded, recorded: succeeded, shows: succeeded},
		"done, and its status emptied":         {marked: true, recorded: succeeded, shows: inProgress}, // for its result
		"done, and its ledger is lost":         {marked: true, shown: succeeded, lost: true, shows: succeeded},
		"failed, and its status emptied":       {marked: true, recorded: failed, shows: failed},
		"done, and another test since": {
			marked: true, shown: succeeded, recorded: succeeded, another: true, shows: succeeded,
		},
		"failed, its status emptied, and another test since": {marked: true, recorded: failed, another: true, shows: failed},
		"done, its status emptied, and another test since": {
			marked: true, recorded: succeeded, another: true, shows: inProgress, // for its result
		},
		"in progress only in the status": {shown: inProgress},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.holds(t)
		})
	}
}

func (s testCase) holds(t *testing.T) {
	t.Helper()
	object, ledger := s.test()
	view := decidetest.Input(object)
	view.Ledger, view.Now = ledger, decidetest.Start()
	judged := oneshots.JudgeTestLedger(decide.LedgerInput{Lost: s.lost, Input: view}, object)
	losing := ""
	if judged.Lost != nil {
		losing = judged.Lost.Error.Code
	}
	if losing != s.losing || judged.Verdict != nil || judged.Lost != nil && judged.Lost.Attempt != 1 {
		t.Fatalf("%+v", judged)
	}
	if losing != "" {
		return // that is recorded, and then shown
	}
	oneshots.ProjectTest(object, ledger, metav1.NewTime(decidetest.Start()))
	shows := v1alpha1.RequestPhase("")
	if object.Status.Request != nil {
		shows = object.Status.Request.Phase
	}
	if shows != s.shows {
		t.Errorf("it shows %q", shows)
	}
	s.expectNotSentAgain(t, object, ledger)
}

// expectNotSentAgain expects that only a test that shows no request is sent, and that its account is
// never mistaken for another.
func (s testCase) expectNotSentAgain(t *testing.T, object *v1alpha1.DiagnosticTest, ledger *v1alpha1.RequestLedger) {
	t.Helper()
	view := taskInput(func(in *oneshots.Input) { in.Subject, in.Ledger = object, ledger })
	decision := oneshots.Decide(view)
	_, sends := decision.Step.(decide.Submit)
	if sends != (s.shows == "") || decision.Verdict.Reason == v1alpha1.ReasonConflict {
		t.Errorf("it is sent: %t, %s", sends, decision.Verdict.Message)
	}
}

func TestR30ANewerLedgerOfTestsIsNotUsed(t *testing.T) {
	t.Parallel()
	test := &v1alpha1.DiagnosticTest{}
	decidetest.AssertUnreadable(t, oneshots.JudgeTestLedger(decidetest.NewerLedger(test), test))
}

// A test whose status names the ledger of another login is not sent again, unless it has ended.
func TestATestOfAnotherLoginIsAConflict(t *testing.T) {
	t.Parallel()
	former := &v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{Name: "diagnostics-1"}}
	former.Spec.Login = v1alpha1.CarrierLogin{BaseURL: "https://old.example", ClientName: "reseller"}
	for _, of := range []struct {
		phase  v1alpha1.RequestPhase
		reason string
	}{{v1alpha1.PhaseInProgress, v1alpha1.ReasonConflict}, {v1alpha1.PhaseSucceeded, ""}} {
		test := &v1alpha1.DiagnosticTest{}
		test.Record().PutRequest(testCase{}.attempt(of.phase))
		judged := oneshots.JudgeTestLedger(decide.LedgerInput{Former: former, Input: decidetest.Input(test)}, test)
		if decidetest.ReasonOf(judged.Verdict) != of.reason || judged.Lost != nil {
			t.Errorf("%s: %+v", of.phase, judged)
		}
	}
}

// The tests of a service share a ledger, in which they wait for each other.
func TestAnUnknownTestSaysWhatItHoldsBack(t *testing.T) {
	t.Parallel()
	for until, phase := range map[string]v1alpha1.RequestPhase{
		"until you have asked the carrier": v1alpha1.PhaseOutcomeUnknown,
		"until you resolve it":             v1alpha1.PhaseLateAcceptance,
	} {
		test := &v1alpha1.DiagnosticTest{}
		test.Record().PutRequest(testCase{}.attempt(phase))
		message := oneshots.Decide(oneshots.Input{
			Input: decidetest.Input(test), ServiceID: "1", Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest},
		}).Verdict.Message
		if !strings.Contains(message, "No test of this service is sent "+until) {
			t.Errorf("%s: %s", phase, message)
		}
	}
}

// For a request of class Never, no read shows the outcome, and it must not be repeated.
func TestALostTestWaitsForAPerson(t *testing.T) {
	t.Parallel()
	test := &v1alpha1.DiagnosticTest{}
	test.Record().PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Phase: v1alpha1.PhaseSubmitting,
		Login: decidetest.Login(),
		Error: &v1alpha1.RequestError{HTTPStatus: 502, Message: "bad gateway"},
	})
	decision := oneshots.Decide(oneshots.Input{
		Input: decidetest.Input(test), ServiceID: "1", Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest},
	})
	if got := decidetest.StepName(decision.Step); got != "Resolve OutcomeUnknown" {
		t.Errorf("%s: %s", got, decision.Verdict.Message)
	}
}
