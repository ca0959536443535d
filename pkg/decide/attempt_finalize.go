// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Finalization is what has to happen before a deleted object may be removed.
type Finalization struct {
	WaitUntil time.Time // until then another process may still be recording a response; zero: no wait
	Warning   string    // the warning for the user; "" if nothing is in progress
}

// Finalize returns what has to happen before an object with open requests may be removed.
func Finalize(open []*v1alpha1.Request, memory Memory, now time.Time, then string) Finalization {
	var finalization Finalization
	var continuing []v1alpha1.Request
	for _, open := range open {
		if IsReadAgain(open) {
			continue // it is done
		}
		if open.Phase == v1alpha1.PhaseSubmitting && open.Error == nil && open.Sender != memory.Sender {
			until := memory.Attempts[open.AttemptID].FirstSeen.Add(senderGrace)
			finalization.WaitUntil = Later(finalization.WaitUntil, until)
		}
		continuing = append(continuing, *open)
	}
	if !now.Before(finalization.WaitUntil) {
		finalization.WaitUntil = time.Time{}
	}
	if len(continuing) > 0 {
		finalization.Warning = fmt.Sprintf("deleted while %s: the request may continue at the carrier, but %s",
			AttemptsText(continuing), then)
	}
	return finalization
}
