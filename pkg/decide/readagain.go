// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// IsReadAgain reports whether a request has succeeded and is tracked once more for its result.
// Later answers of the carrier do not change its success. So it is never overdue, its Location is
// never lost, and no person resolves it: "Succeeded, Failed by Carrier ...: anybody: refused"
// (R14).
func IsReadAgain(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseInProgress && request.EndedBy == v1alpha1.EndedByCarrier
}

// readingAgain is the verdict on such a request.
func readingAgain(in *Input, done *v1alpha1.Request) Verdict {
	if attempt := in.Memory.Attempts[done.AttemptID]; attempt.Failures >= failuresShown {
		return Verdict{Working, v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s is done, and the carrier cannot be asked for its result once more: %s; it is asked again",
			done.Operation, errorText(attempt.PollError))}
	}
	return Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s is done, and its result, which is not in the status, is read from the carrier once more", done.Operation)}
}

// followedFrom returns when the polling of a request begins. The result of a request that ended
// long ago is available, so it is read as soon as this process notices that it is missing.
func followedFrom(in *Input, open *v1alpha1.Request) time.Time {
	if IsReadAgain(open) {
		return later(in.past(open.FinishedAt), in.Memory.Attempts[open.AttemptID].Seen)
	}
	return in.past(open.SubmittedAt)
}
