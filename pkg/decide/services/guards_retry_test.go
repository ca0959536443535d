// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// lasted is an attempt a-1 that was submitted at the start, and ended a minute later.
func lasted(r *v1alpha1.Request) { r.FinishedAt = metav1.NewTime(decidetest.Start().Add(time.Minute)) }

// usedUp records the retry annotation's value as acted on.
func usedUp(in *services.Input) {
	in.Service.Status.Handled.Retry = in.Service.Annotations[v1alpha1.AnnotationRetry]
}

// retried makes the failed attempt the one that the retry caused. The clock has been set back since
// then.
func retried(in *services.Input) {
	with(v1alpha1.PhaseFailed, lasted, func(r *v1alpha1.Request) {
		r.Retry = in.Service.Annotations[v1alpha1.AnnotationRetry]
	})(in)
}

func stamp(after time.Duration) string { return decidetest.Start().Add(after).Format(time.RFC3339Nano) }

// The effect of the retry annotation ten minutes after the start, when attempt a-1 has failed, and
// the object's message if it has none.
func TestR21RetryNamesItsAttemptOrATimeAfterIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]retryCase{
		"nothing":     {value: ""},
		"the attempt": {value: "a-1", asks: true},
		"another attempt": {
			value: "a-2", flaw: `"a-2", which is neither the id of attempt a-1 nor an RFC`,
		},
		"the beginning of the attempt": {value: "a-", flaw: "neither"},
		"garbage":                      {value: "again", flaw: "neither"},
		"a day":                        {value: "2026-03-02", flaw: "neither"},
		"an invalid date":              {value: "2026-02-30T09:05:00Z", flaw: "neither"},
		"a time before the submission": {value: stamp(-time.Second), flaw: "not later than the end of attempt a-1"},
		"a time before the end":        {value: stamp(30 * time.Second), flaw: "not later than the end"},
		"the second in which it ended": {
			value: stamp(time.Minute + 999*time.Millisecond), flaw: "not later than the end",
		},
		"a time after it":                       {value: stamp(time.Minute + time.Second), asks: true},
		"a time after it, with offset":          {value: "2026-03-02T19:05:00+10:00", asks: true},
		"the present":                           {value: stamp(10 * time.Minute), asks: true},
		"a time in the future":                  {value: stamp(10*time.Minute + 1), flaw: "is a time in the future"},
		"the attempt, used up":                  {value: "a-1", edits: []func(*services.Input){usedUp}},
		"a time after it, used up":              {value: stamp(2 * time.Minute), edits: []func(*services.Input){usedUp}},
		"a time that was used for this attempt": {value: stamp(2 * time.Minute), edits: []func(*services.Input){retried}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edits := append([]func(*services.Input){
				wanting, with(v1alpha1.PhaseFailed, lasted), at(10 * time.Minute),
				annotated(v1alpha1.AnnotationRetry, test.value),
			}, test.edits...)
			decision := services.Decide(settled(edits...))
			submit, sends := decision.Step.(decide.Submit)
			switch {
			case sends != test.asks:
				t.Errorf("%T, and it says %q", decision.Step, decision.Verdict.Message)
			case sends && (submit.Retry != test.value || submit.Request.Retry != test.value):
				t.Errorf("%q is recorded with the attempt, and %q in the status", submit.Request.Retry, submit.Retry)
			case !sends && !test.explained(decision.Verdict.Message):
				t.Errorf("it says %q", decision.Verdict.Message)
			}
		})
	}
}

// retryCase is a value of the retry annotation, and its effect.
type retryCase struct {
	value string
	asks  bool
	flaw  string // the object's message about the value; "" for none
	edits []func(*services.Input)
}

// explained reports whether a message contains the command for another attempt, and what is wrong
// with the value.
func (c retryCase) explained(message string) bool {
	const command = "kubectl -n shop annotate --overwrite bbs site 'wholesale.broadband/retry=a-1'"
	flawed := strings.Contains(message, ", which ")
	return strings.Contains(message, command) && strings.Contains(message, c.flaw) && flawed == (c.flaw != "")
}

// A time in the future takes effect when it is reached: until then nothing is done, and the object
// is reconciled then.
func TestR21ARetryTimeInTheFutureTakesEffectThen(t *testing.T) {
	t.Parallel()
	due := decidetest.Start().Add(time.Hour)
	view := settled(wanting, with(v1alpha1.PhaseFailed), annotated(v1alpha1.AnnotationRetry, due.Format(time.RFC3339)))
	decision := services.Decide(view)
	if got := decidetest.StepName(decision.Step); got != "Rest" || !decision.RequeueAt.Equal(due) {
		t.Errorf("%s, and the next look is at %s, not at %s", got, decision.RequeueAt, due)
	}
	view = settled(wanting, with(v1alpha1.PhaseFailed), annotated(v1alpha1.AnnotationRetry, due.Format(time.RFC3339)),
		at(time.Hour))
	if got := decidetest.StepName(services.Decide(view).Step); got != "Submit" {
		t.Errorf("when it has come: %s", got)
	}
}

// A retry request asks for one more attempt after a failure: without a first attempt it has no
// effect.
func TestR21ARetryOfNothingIsNotUsedUp(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"a-1", stamp(0), "again"} {
		decision := services.Decide(settled(wanting, annotated(v1alpha1.AnnotationRetry, value)))
		submit, sends := decision.Step.(decide.Submit)
		if !sends || submit.Retry != "" || submit.Request.Retry != "" {
			t.Errorf("with %q: %+v", value, decision.Step)
		}
	}
}

// A reclaim that succeeded but brought nothing back is repeated only by a person's retry request.
func TestR21ARetryRepeatsAReclaimThatHadNoEffect(t *testing.T) {
	t.Parallel()
	for value, asks := range map[string]bool{
		"": false, "a-1": true, "a-2": false, stamp(2 * time.Minute): true, stamp(30 * time.Second): false, "again": false,
	} {
		decision := services.Decide(settled(
			with(v1alpha1.PhaseSucceeded, lasted, func(r *v1alpha1.Request) {
				r.Operation, r.Target = v1alpha1.OperationReclaim, v1alpha1.RequestTarget{}
			}),
			func(in *services.Input) {
				in.Service.Spec.Plan, in.Service.Spec.Disconnection = nil, v1alpha1.DisconnectionReclaim
				in.Service.Status.Carrier.Cancellation = &v1alpha1.CancellationState{Cancelled: true}
			},
			justRead,
			at(10*time.Minute), annotated(v1alpha1.AnnotationRetry, value),
		))
		submit, sends := decision.Step.(decide.Submit)
		if sends != asks || sends && submit.Request.Retry != value {
			t.Errorf("with %q: %+v, %s", value, decision.Step, decision.Verdict.Message)
		}
		if !sends && !strings.Contains(decision.Verdict.Message, "'wholesale.broadband/retry=a-1'") {
			t.Errorf("with %q it says %q", value, decision.Verdict.Message)
		}
	}
}
