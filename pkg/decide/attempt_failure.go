// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// FailureMessage describes a failure: first the carrier's code, unchanged, if there is one, and
// at the end how to fix it. If the carrier accepted a request and then gave no code, nothing
// shows that the spec is wrong.
func FailureMessage(in *Input, request *v1alpha1.Request, fix string) string {
	if request.Phase == v1alpha1.PhaseFailed && isUnexplained(request) {
		fix = "ask the carrier"
	}
	fix += ", or, to retry it unchanged, run: " + RetryHint(in, request)
	switch {
	case request.Phase == v1alpha1.PhaseAbandoned:
		return fmt.Sprintf("%s attempt %s was abandoned (%s) and is not sent again automatically; %s",
			request.Operation, request.AttemptID, ErrorMessage(request.Error), fix)
	case exhausted(request):
		return fmt.Sprintf("%s was sent %d times, and the carrier has returned no result (last error: %s): "+
			"it is not sent again automatically. Ask the carrier; then %s",
			request.Operation, request.Repeats+1, ErrorMessage(request.Error), fix)
	case ResultDiffers(request):
		return fmt.Sprintf("%s succeeded, but %s. Nothing is sent again until somebody has asked the carrier and decided: "+
			"if the carrier's value is right, declare it in spec, or, to send the request once more, run: %s",
			request.Operation, ErrorMessage(request.Error), RetryHint(in, request))
	case !AutoRetryAt(in, request).IsZero():
		fix = "it is retried automatically"
	}
	if isUnexplained(request) {
		return fmt.Sprintf("%s did not succeed: %s; %s", request.Operation, ErrorMessage(request.Error), fix)
	}
	what := fmt.Sprintf("the carrier refused %s", request.Operation)
	if request.Phase == v1alpha1.PhaseFailed { // it was accepted first
		what = fmt.Sprintf("%s failed at the carrier", request.Operation)
	}
	if request.Error.Message == "" { // the ledger has only a summary of it
		return fmt.Sprintf("%s: %s; %s", request.Error.Code, what, fix)
	}
	return fmt.Sprintf("%s: %s (HTTP %d): %s; %s",
		request.Error.Code, what, request.Error.HTTPStatus, request.Error.Message, fix)
}

func isUnexplained(request *v1alpha1.Request) bool {
	return request.Error == nil || request.Error.Code == "" || request.Error.Code == v1alpha1.ReasonUnanswered
}

// HeldBack holds back a request after a definitive failure of the last one: the same request would
// fail again, so it needs another generation of the object or a retry. If a request succeeded with
// another value than requested, a new generation is not enough: the carrier may have set the
// requested value under another name.
func HeldBack(in *Input, last *v1alpha1.Request) *Decision {
	past := !EndedInFailure(last) || !isForThisSpec(in, last) && !ResultDiffers(last)
	if past || RetryRequested(in, last) || unsentRetry(in, last) != nil {
		return nil
	}
	again := AutoRetryAt(in, last)
	if !again.IsZero() && !in.Now.Before(again) {
		return nil
	}
	decision := RestStuck(ReasonFor(last), FailureMessage(in, last, fixOf(last))+WhyRetryIgnored(in, last))
	if AnotherInProgress(last) && !again.IsZero() {
		decision.Verdict.State = Working // it is sent again by itself: no person is needed
	}
	return RequeueAt(decision, Earlier(again, RetryDue(in, last)))
}

func fixOf(last *v1alpha1.Request) string {
	if last.Phase == v1alpha1.PhaseAbandoned {
		return "change the spec" // nothing is wrong with it
	}
	return "correct the spec"
}
