// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// UnrecordedResponse returns a decision if this process has a response that is not recorded.
func UnrecordedResponse(in *Input) *Decision {
	for _, open := range in.Subject.OpenRequests() {
		if in.Memory.Attempts[open.AttemptID].Receipt != nil {
			return &Decision{Step: RecordResponse{AttemptID: open.AttemptID}, Verdict: progressing(open)}
		}
	}
	return nil
}

// HeldBack holds back a request after a definitive failure of the last one: the same request would
// fail again, so another generation of the object or a retry has to ask for it. After a success
// with another value than requested, a new generation is not enough, because the carrier may have
// done what was requested under another name.
func HeldBack(in *Input, last *v1alpha1.Request) *Decision {
	past := !EndedInFailure(last) || !serves(in, last) && !ResultDiffers(last)
	if past || RetryRequested(in, last) || unsentRetry(in, last) != nil {
		return nil
	}
	again := AutoRetryAt(in, last)
	if !again.IsZero() && !in.Now.Before(again) {
		return nil
	}
	decision := RestStuck(ReasonFor(last), failureMessage(in, last)+WhyRetryIgnored(in, last))
	if AnotherInProgress(last) && !again.IsZero() {
		decision.Verdict.State = Working // it is sent again by itself: no person is needed
	}
	return RequeueAt(decision, Earlier(again, RetryDue(in, last)))
}
