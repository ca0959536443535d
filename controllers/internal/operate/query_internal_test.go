// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A query that creates something at the carrier has no intent. If another process has sent the same
// query meanwhile, the record has room for only one of the two, and the other must be reported to
// the user.
func TestR15ASecondResponseToAQueryThatCreatesSomethingIsReported(t *testing.T) {
	t.Parallel()
	for holds, want := range map[bool]int{true: 1, false: 0} {
		tape, events := newTape(), &eventLog{}
		protocol := tape.protocol("me")
		protocol.Events = events
		question := v1alpha1.Request{Operation: v1alpha1.OperationAppointmentSlots, APIVersion: 8}
		tape.at[stepPOST] = func() error {
			other := question
			other.AttemptID, other.Phase, other.Location = "a-2", v1alpha1.PhaseInProgress, "/78"
			tape.record.PutRequest(other)
			tape.record.ResourceVersion += "+"
			return nil
		}
		if _, err := protocol.SubmitQuery(t.Context(), tape.scope(), Submission{Request: question, Hold: holds}); err != nil {
			t.Fatal(err)
		}
		reports := slices.DeleteFunc(slices.Clone(events.events), func(event string) bool {
			return !strings.Contains(event, eventLate) || !strings.Contains(event, "/77") || !strings.Contains(event, "a-2")
		})
		requests := tape.record.Status.Requests
		if len(reports) != want || len(requests) != 1 || requests[0].AttemptID != "a-2" {
			t.Errorf("creates something: %t, events %q, recorded %+v", holds, events.events,
				tape.record.Status.Requests)
		}
	}
}
