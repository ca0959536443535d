// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// afterRefusal is a test that needs an approval and was refused with the given code. After the
// refusal, the given number of other tests of its service ended.
func afterRefusal(code string, others int) func(*oneshots.Input) {
	return func(in *oneshots.Input) {
		in.Approval = v1alpha1.ApprovalAlways
		in.Ledger = &v1alpha1.RequestLedger{}
		attempt := v1alpha1.Request{
			Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", UID: "u-1", Phase: v1alpha1.PhaseRejected,
			Error: &v1alpha1.RequestError{Code: code}, FinishedAt: metav1.NewTime(decidetest.Start()),
		}
		in.Ledger.Put(attempt)
		if test, ok := in.Subject.(*v1alpha1.DiagnosticTest); ok {
			test.Record().PutRequest(attempt)
			test.Annotations = map[string]string{v1alpha1.AnnotationRetry: "a-1"}
		}
		for i := range others {
			attempt.AttemptID, attempt.UID, attempt.Phase = "b-"+strconv.Itoa(i), "u-2", v1alpha1.PhaseSucceeded
			in.Ledger.Put(attempt)
		}
	}
}

func TestOnlyARefusalBecauseAnotherRequestIsInProgressKeepsTheApprovalOfATest(t *testing.T) {
	t.Parallel()
	const inProgress, other = "constraints.test.request.in.progress", "constraints.some.rule"
	always := func(in *oneshots.Input) { in.Approval = v1alpha1.ApprovalAlways }
	hash := func(edit func(*oneshots.Input)) string { return oneshots.Decide(taskInput(edit)).Pending.Hash }
	first := hash(always)
	if got := hash(afterRefusal(inProgress, 0)); got != first {
		t.Errorf("the hash is %s, and was %s before the refusal", got, first)
	}
	for _, others := range []int{0, 1, 20} { // the ledger keeps ten
		if got := hash(afterRefusal(other, others)); got == first {
			t.Errorf("after %d other tests it has the hash of what was refused", others)
		}
	}
}
