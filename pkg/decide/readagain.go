// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// readingAgain is the verdict on a request that has succeeded and is read again for its result.
func readingAgain(in *Input, done *v1alpha1.Request) Verdict {
	if attempt := in.Memory.Attempts[done.AttemptID]; attempt.Failures >= FailuresShown {
		return Verdict{Working, v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s is done, but its result cannot be read again: %s; the read is retried",
			done.Operation, ErrorText(attempt.PollError))}
	}
	return Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s is done, but its result is not in the status and is being read from the carrier again", done.Operation)}
}
