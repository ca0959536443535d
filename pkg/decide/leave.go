// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Departure is what has to happen before a deleted object may be removed.
type Departure struct {
	WaitUntil time.Time // until then another process may still be recording an answer; zero: no wait
	Warning   string    // the warning for the user; "" if nothing is in progress
}

// Departing returns what has to happen before an object with open requests may be removed.
func Departing(underWay []*v1alpha1.Request, memory Memory, now time.Time, then string) Departure {
	var departure Departure
	words := make([]string, 0, len(underWay))
	for _, open := range underWay {
		if IsReadAgain(open) {
			continue // it is done
		}
		if open.Phase == v1alpha1.PhaseSubmitting && open.Error == nil && open.Sender != memory.Sender {
			until := memory.Attempts[open.AttemptID].Seen.Add(senderGrace)
			departure.WaitUntil = Later(departure.WaitUntil, until)
		}
		words = append(words, fmt.Sprintf("%s attempt %s is %s", open.Operation, open.AttemptID, open.Phase))
	}
	if !now.Before(departure.WaitUntil) {
		departure.WaitUntil = time.Time{}
	}
	if len(words) > 0 {
		departure.Warning = fmt.Sprintf("deleted while %s: it continues at the carrier, and %s",
			strings.Join(words, ", "), then)
	}
	return departure
}
