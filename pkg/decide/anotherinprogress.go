// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// endsInProgress reports whether a sub-error means that somebody else's request is in progress. The
// specification names one such code; a carrier may have others of that form (section 7).
func endsInProgress(code string) bool { return strings.HasSuffix(code, ".in.progress") }

// anotherInProgress implements: "DSL's in-progress answer (a new attempt after 5 to 30 min)", for
// every operation. The request was rejected, so the next attempt is not a repeat.
func anotherInProgress(request *v1alpha1.Request) bool {
	return request.Error != nil && endsInProgress(request.Error.Code)
}

// inProgressPause is the wait after the n-th such response, with n starting at 1.
func inProgressPause(n int32) time.Duration {
	const shortest, longest = 5 * time.Minute, 30 * time.Minute
	return doubling(int(n), shortest, longest)
}

// lasting returns the sub-errors that do not resolve by themselves, or all if there are none.
func lasting(all []carrier.SubError) []carrier.SubError {
	var left []carrier.SubError
	for _, sub := range all {
		if !endsInProgress(string(sub.Code)) {
			left = append(left, sub)
		}
	}
	if len(left) == 0 {
		return all
	}
	return left
}
