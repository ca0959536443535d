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

// taskInput is a diagnostic test with what a person may have to approve for it.
func taskInput(edits ...func(*oneshots.Input)) oneshots.Input {
	test := &v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{Name: "once", Namespace: "shop", UID: "u-1"}}
	view := oneshots.Input{Input: decidetest.Input(test), ServiceID: "1", Task: decide.Task{
		Operation: v1alpha1.OperationDiagnosticTest,
		Changes:   []v1alpha1.Change{{Operation: v1alpha1.OperationDiagnosticTest, Field: "testType", To: "port-reset"}},
	}}
	for _, edit := range edits {
		edit(&view)
	}
	return view
}

func TestATaskNeedsApprovalOnlyIfThePolicyIsAlways(t *testing.T) {
	t.Parallel()
	always := func(in *oneshots.Input) { in.Approval = v1alpha1.ApprovalAlways }
	onCost := func(in *oneshots.Input) { in.Approval = v1alpha1.ApprovalOnCost }
	nothing := func(in *oneshots.Input) { in.Task.Changes = nil }
	for name, row := range map[string]struct {
		view oneshots.Input
		asks bool
	}{
		"always":                         {taskInput(always), true},
		"OnCost, and no price is quoted": {taskInput(onCost), false},
		"nothing to approve":             {taskInput(always, nothing), false},
	} {
		decision := oneshots.Decide(row.view)
		_, sends := decision.Step.(decide.Submit)
		if asks := decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval; asks != row.asks || sends == row.asks ||
			(decision.Pending != nil) != row.asks {
			t.Errorf("%s: %T, %s, pending %+v", name, decision.Step, decision.Verdict.Reason, decision.Pending)
		}
	}
}

// The intent uses up the annotation with which it was approved.
func TestARequestUsesUpItsApproval(t *testing.T) {
	t.Parallel()
	always := func(in *oneshots.Input) { in.Approval = v1alpha1.ApprovalAlways }
	approved := oneshots.Decide(taskInput(always)).Pending.Hash
	decision := oneshots.Decide(taskInput(always, func(in *oneshots.Input) {
		in.Subject.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: approved})
	}))
	submit, sends := decision.Step.(decide.Submit)
	if !sends || submit.Approve != approved || submit.Request.ApprovedHash != approved {
		t.Errorf("%T uses up %q for %q, want %q", decision.Step, submit.Approve, submit.Request.ApprovedHash, approved)
	}
}

// The service number is reported as wrong only if the carrier's error says so.
func TestARejectedTaskReportsTheRejection(t *testing.T) {
	t.Parallel()
	refused := func(status int32) func(*oneshots.Input) {
		return func(in *oneshots.Input) {
			if test, ok := in.Subject.(*v1alpha1.DiagnosticTest); ok {
				test.Record().PutRequest(v1alpha1.Request{
					Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Phase: v1alpha1.PhaseRejected,
					Error: &v1alpha1.RequestError{HTTPStatus: status, Message: "no"}, FinishedAt: metav1.NewTime(decidetest.Start()),
				})
			}
		}
	}
	aboutNone := func(in *oneshots.Input) { in.ServiceID = "" }
	const unseen, another = "does not let this account see service 1", "create another object"
	for name, row := range map[string]struct {
		view oneshots.Input
		says string
	}{
		"422":                   {taskInput(refused(422)), another},
		"404":                   {taskInput(refused(404)), unseen},
		"404 with the command":  {taskInput(refused(404)), "to try again, run: kubectl -n"},
		"404 with its attempt":  {taskInput(refused(404)), v1alpha1.AnnotationRetry + "=a-1"},
		"404 without a service": {taskInput(refused(404), aboutNone), another},
		"422 without a service": {taskInput(refused(422), aboutNone), another},
	} {
		verdict := oneshots.Decide(row.view).Verdict
		if !strings.Contains(verdict.Message, row.says) ||
			row.says == another && strings.Contains(verdict.Message, "check the service number") {
			t.Errorf("%s: %s", name, verdict.Message)
		}
	}
}
