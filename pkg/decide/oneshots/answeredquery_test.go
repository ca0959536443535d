// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A copy of the object may be older than the recorded response by ten seconds.
func TestAnAnsweredQueryIsNotSentAgainFromAnOlderCopy(t *testing.T) {
	t.Parallel()
	for want, after := range map[string]time.Duration{"Rest": 10*time.Second - 1, "SubmitQuery": 10 * time.Second} {
		view := decidetest.Input(&v1alpha1.PlanOptionsQuery{ObjectMeta: metav1.ObjectMeta{Name: "me", UID: "me"}})
		view.Memory.LastQuery = decide.LastQuery{Answered: "a-0", AnsweredAt: view.Now.Add(-after)}
		decision := oneshots.Decide(oneshots.Input{
			Input: view, ServiceID: "1", Task: decide.Task{Operation: v1alpha1.OperationPlanOptions},
		})
		if step := decidetest.StepName(decision.Step); step != want {
			t.Errorf("%s after the response: %s (%s)", after, step, decision.Verdict.Message)
		}
	}
}
