// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// readAgain is a diagnostic test that succeeded long ago. Its status was lost after that, which
// this process has just noticed.
func readAgain(edits ...func(*oneshots.Input, *v1alpha1.Request, *decide.Attempt)) oneshots.Input {
	view := taskInput()
	now := decidetest.Start().Add(50 * time.Hour)
	request := v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a", UID: "u-1", Phase: v1alpha1.PhaseInProgress,
		EndedBy: v1alpha1.EndedByCarrier, APIVersion: 8, Login: decidetest.Login(),
		Location:    "/api/connect/services/diagnostic-tests/requests/1",
		SubmittedAt: metav1.NewTime(decidetest.Start()), FinishedAt: metav1.NewTime(decidetest.Start().Add(time.Minute)),
	}
	attempt := decide.Attempt{FirstSeen: now, LastPoll: now}
	view.Now, view.Account.Object.Spec.Polling.Max = now, "8h"
	for _, edit := range edits {
		edit(&view, &request, &attempt)
	}
	view.Memory.Attempts = map[string]decide.Attempt{"a": attempt}
	if test, ok := view.Subject.(*v1alpha1.DiagnosticTest); ok {
		test.Record().PutRequest(request)
	}
	return view
}

// What the carrier has ended is final (R14). A request whose result is read again has ended: it is
// not late, it needs no resolution, and its result can be read.
func TestR14NobodyResolvesARequestThatIsReadAgain(t *testing.T) {
	t.Parallel()
	type edit = func(*oneshots.Input, *v1alpha1.Request, *decide.Attempt)
	later := func(wait time.Duration) edit {
		return func(in *oneshots.Input, _ *v1alpha1.Request, _ *decide.Attempt) { in.Now = in.Now.Add(wait) }
	}
	forgotten := func(_ *oneshots.Input, r *v1alpha1.Request, _ *decide.Attempt) {
		r.LostSince = metav1.NewTime(decidetest.Start())
	}
	failing := func(_ *oneshots.Input, _ *v1alpha1.Request, a *decide.Attempt) {
		a.Failures, a.PollError = 3, errors.New("no route")
	}
	says := func(word string) edit {
		return func(in *oneshots.Input, _ *v1alpha1.Request, _ *decide.Attempt) {
			in.Subject.SetAnnotations(map[string]string{v1alpha1.AnnotationResolve: "a=" + word})
		}
	}
	for name, row := range map[string]struct {
		edits  []edit
		step   string
		reason string
	}{
		"it was just noticed": {nil, "Rest", v1alpha1.ReasonProgressing},
		"ten seconds later": {
			[]edit{later(10 * time.Second)}, "Poll", v1alpha1.ReasonProgressing,
		},
		"its Location has answered 404":     {[]edit{forgotten}, "Rest", v1alpha1.ReasonProgressing},
		"the carrier cannot be reached":     {[]edit{failing}, "Rest", v1alpha1.ReasonCarrierUnavailable},
		"it is resolved as not accepted":    {[]edit{says("NotAccepted")}, "Rest", v1alpha1.ReasonProgressing},
		"it is resolved as abandoned":       {[]edit{says("Abandoned")}, "Rest", v1alpha1.ReasonProgressing},
		"it is resolved as another request": {[]edit{says("Accepted:2")}, "Rest", v1alpha1.ReasonProgressing},
		"its Location has answered 404, ten seconds later": {
			[]edit{forgotten, later(10 * time.Second)}, "Poll", v1alpha1.ReasonProgressing,
		},
	} {
		decision := oneshots.Decide(readAgain(row.edits...))
		verdict, wait := decision.Verdict, decision.RequeueAt.Sub(readAgain(row.edits...).Now)
		if decidetest.StepName(decision.Step) != row.step || verdict.Reason != row.reason ||
			verdict.State != decide.Working ||
			row.step == "Rest" && (wait <= 0 || wait > 10*time.Second) {
			t.Errorf("%s: %s, %s %s (%s), again after %v",
				name, decidetest.StepName(decision.Step), verdict.State, verdict.Reason, verdict.Message, wait)
		}
	}
}
