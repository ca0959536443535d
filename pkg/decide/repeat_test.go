// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A 422 after a lost answer may be the carrier's word on what it did the first time.
func TestARefusedRepeatProvesNothing(t *testing.T) {
	t.Parallel()
	for _, repeated := range []struct {
		operation v1alpha1.Operation
		want      v1alpha1.RequestPhase
	}{
		{v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.PhaseOutcomeUnknown},
		{v1alpha1.OperationReclaim, v1alpha1.PhaseOutcomeUnknown},
		{v1alpha1.OperationCancellationReschedule, v1alpha1.PhaseSubmitting}, // a read will tell
		{v1alpha1.OperationCancellationAbort, v1alpha1.PhaseSubmitting},
	} {
		request := v1alpha1.Request{
			Operation: repeated.operation, Phase: v1alpha1.PhaseRejected, Repeats: 1,
			Error: &v1alpha1.RequestError{HTTPStatus: 422, Code: "constraints.some.rule"},
		}
		if got := decide.RefusedRepeat(&request); got != repeated.want {
			t.Errorf("%s is %s, want %s", repeated.operation, got, repeated.want)
		}
	}
}

// Class Never has nothing that could be read, and nothing that may be asked for again.
func TestALostTestIsAPersons(t *testing.T) {
	t.Parallel()
	test := &v1alpha1.DiagnosticTest{}
	test.PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Phase: v1alpha1.PhaseSubmitting,
		Identity: "reseller", BaseURL: "https://carrier.example",
		Error: &v1alpha1.RequestError{HTTPStatus: 502, Message: "bad gateway"},
	})
	view := settled().View
	view.Subject = test
	decision := decide.OneShot(decide.TaskView{
		View: view, ServiceID: 1, Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest},
	})
	if got := stepName(decision.Step); got != "Settle OutcomeUnknown" {
		t.Errorf("%s: %s", got, decision.Verdict.Message)
	}
}
