// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// priceTask is a query of the price of a service.
func priceTask() decide.Task {
	return decide.Task{Operation: v1alpha1.OperationPlanOptions, Body: []byte(`{"serviceId":7}`)}
}

// afterQuery is an object whose query of the price ended in the given way.
func afterQuery(edit func(*v1alpha1.Request)) (*v1alpha1.PlanOptionsQuery, decide.Input) {
	query := &v1alpha1.PlanOptionsQuery{ObjectMeta: metav1.ObjectMeta{Name: "prices", UID: "u-1", Generation: 1}}
	task := priceTask()
	last := v1alpha1.Request{
		Operation: task.Operation, AttemptID: "a-1", Attempt: 1, Generation: 1, Phase: v1alpha1.PhaseNotProcessed,
		BodyHash: decide.BodyHash(task.Body), Location: "/requests/5",
		SubmittedAt: metav1.NewTime(decidetest.Start()), FinishedAt: metav1.NewTime(decidetest.Start()),
	}
	edit(&last)
	query.Record().PutRequest(last)
	return query, decidetest.Input(query)
}

// A query is sent three times (R20). A retry starts a new count.
func TestR20ARetryStartsTheCountOfQueriesAgain(t *testing.T) {
	t.Parallel()
	rejected := func(r *v1alpha1.Request) { r.Phase, r.Repeats = v1alpha1.PhaseRejected, 2 }
	unanswered := func(r *v1alpha1.Request) { r.Repeats = 1 }
	exhausted := func(r *v1alpha1.Request) { r.Repeats = 2 }
	for name, row := range map[string]struct {
		last    func(*v1alpha1.Request)
		retried bool
		repeats int32 // of the query that is sent now
	}{
		"unanswered":            {unanswered, false, 2},
		"exhausted and retried": {exhausted, true, 0},
		"rejected and retried":  {rejected, true, 0},
	} {
		query, in := afterQuery(row.last)
		if row.retried {
			query.Annotations = map[string]string{v1alpha1.AnnotationRetry: "a-1"}
		}
		in.Now = decidetest.Start().Add(time.Hour)
		decision := decide.SendTask(&in, priceTask())
		submit, sends := decision.Step.(decide.SubmitQuery)
		if !sends || submit.Request.Repeats != row.repeats {
			t.Errorf("%s: %T of repeat %d, want %d (%s)",
				name, decision.Step, submit.Request.Repeats, row.repeats, decision.Verdict.Message)
		}
	}
}

// A query is sent again a minute after its Location was not known at the carrier: once the Location
// is lost, that minute is over. A query that did not reach the carrier waits longer with each
// attempt.
func TestAQueryThatLostItsLocationIsSentAgainAtOnce(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{v1alpha1.ReasonHandleLost: "SubmitQuery", "": "Rest"} {
		_, in := afterQuery(func(r *v1alpha1.Request) { r.Error = &v1alpha1.RequestError{Code: code} })
		in.Now = decidetest.Start().Add(time.Second)
		if decision := decide.SendTask(&in, priceTask()); decidetest.StepName(decision.Step) != want {
			t.Errorf("%q: %s (%s)", code, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
	}
}

// A query without a usable response ends as not processed after a minute, and its error says why.
func TestAQueryWithoutAUsableResponseWaitsAMinute(t *testing.T) {
	t.Parallel()
	const useless, gone = "the body is no JSON", "the carrier no longer recognizes the request's Location /requests/5"
	open := func(r *v1alpha1.Request) { r.Phase = v1alpha1.PhaseSubmitting }
	failed := func(r *v1alpha1.Request) {
		open(r)
		r.Error = &v1alpha1.RequestError{Message: useless}
	}
	for name, row := range map[string]struct {
		last  func(*v1alpha1.Request)
		after time.Duration // since the newest error
		step  string
		why   string // the error of a query that ends
	}{
		"within the minute":      {failed, time.Minute - 1, "Rest", ""},
		"after the minute":       {failed, time.Minute, "Resolve NotProcessed", useless},
		"a Location that is not": {open, 0, "Resolve NotProcessed", gone},
	} {
		query, in := afterQuery(row.last)
		query.Status.LastError = &v1alpha1.LastError{At: metav1.NewTime(in.Now.Add(-row.after))}
		decision := decide.TaskEvidence{Input: &in}.Verify(query.Status.Request)
		why := ""
		if resolve, ends := decision.Step.(decide.Resolve); ends {
			why = resolve.Error.Message
		}
		if got := decidetest.StepName(decision.Step); got != row.step || why != row.why {
			t.Errorf("%s: %s because of %q", name, got, why)
		}
	}
}
