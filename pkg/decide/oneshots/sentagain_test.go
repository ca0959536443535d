// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// notAccepted is a test that is sent again, because a person has resolved it as not accepted.
func notAccepted() *v1alpha1.DiagnosticTest {
	test := &v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{UID: "u-1"}}
	test.Record().PutRequest(testCase{}.attempt(v1alpha1.PhaseNotAccepted))
	return test
}

// A test that is sent again automatically has not ended: its ledger still decides whether it may be.
func TestATestThatIsSentAgainNeedsItsLedger(t *testing.T) {
	t.Parallel()
	test := notAccepted()
	view := decidetest.NewerLedger(test)
	view.Lost, view.Ledger.Spec.Schema, view.Former = false, v1alpha1.LedgerSchema, &v1alpha1.RequestLedger{}
	judged := oneshots.JudgeTestLedger(view, test)
	if judged.Verdict == nil || judged.Verdict.Reason != v1alpha1.ReasonConflict {
		t.Errorf("with another login: %+v", judged)
	}
	view.Lost, view.Former = true, nil
	if judged = oneshots.JudgeTestLedger(view, test); judged.Lost == nil {
		t.Errorf("its ledger is lost: %+v", judged)
	}
	if !oneshots.MayContinue(test) {
		t.Error("it counts as ended")
	}
}

// The ledger may have dropped a later attempt that has run the test.
func TestR14AnAttemptThatHasLeftTheLedgerIsNotSentAgain(t *testing.T) {
	t.Parallel()
	test, ledger := notAccepted(), &v1alpha1.RequestLedger{}
	for i := range 10 {
		ledger.Spec.Ended = append(ledger.Spec.Ended, v1alpha1.EndedAttempt{AttemptID: fmt.Sprint("later-", i), UID: "u-2"})
	}
	oneshots.ProjectTest(test, ledger, metav1.NewTime(decidetest.Start()))
	if shown := test.Status.Request; shown.Phase != v1alpha1.PhaseAbandoned {
		t.Errorf("it is %s: %+v", shown.Phase, shown.Error)
	}
}
