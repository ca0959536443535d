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
func TestR15ASecondAnswerToAQuestionThatLeavesSomethingBehindIsTold(t *testing.T) {
	t.Parallel()
	for holds, want := range map[bool]int{true: 1, false: 0} {
		tape, events := newTape(), &heard{}
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
		told := slices.DeleteFunc(slices.Clone(events.said), func(said string) bool {
			return !strings.Contains(said, eventLate) || !strings.Contains(said, "/77") || !strings.Contains(said, "a-2")
		})
		if len(told) != want || len(tape.record.Status.Requests) != 1 || tape.record.Status.Requests[0].AttemptID != "a-2" {
			t.Errorf("it leaves something behind: %t, and was told %q; on record is %+v", holds, events.said,
				tape.record.Status.Requests)
		}
	}
}
