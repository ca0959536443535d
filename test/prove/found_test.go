// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// TestOldReadingDoesNotOutliveAReclaim: of two managers that both lead, one holds a reading from
// before a reclaim that the other brings about. It must not be taken for news afterwards.
func TestOldReadingDoesNotOutliveAReclaim(t *testing.T) {
	holds(t, "Reclaim", 2, Fault{At: 5, Kind: Refused}, Fault{At: 10, Kind: Refused})
}

// TestDeletedAppointmentGoesAlthoughItsNamespaceCannotBeRead: the look that tells whether the
// namespace is going fails twice, and then the token is over.
func TestDeletedAppointmentGoesAlthoughItsNamespaceCannotBeRead(t *testing.T) {
	holds(t, "AppointmentCancel", 1, Fault{At: 11, Kind: Refused}, Fault{At: 12, Kind: Refused})
}

// TestOldHealthDoesNotOutliveALostStatus: of two managers that both lead, one holds a health reading
// from before a plan change that the other brings about. After a restore without the status it
// must not be taken for what the carrier has now: the change would be bought a second time.
func TestOldHealthDoesNotOutliveALostStatus(t *testing.T) {
	holds(t, "PlanChange", 2, Fault{At: 15, Kind: Lost}, Fault{At: 28, Kind: Restored})
}

// TestWordDuringAWriteIsActedOn: a person resolves an attempt just before the operator writes that it
// is unknown. The word must not count as acted on by a write that has only seen it.
func TestWordDuringAWriteIsActedOn(t *testing.T) {
	holds(t, "DiagnosticTest", 1, Fault{At: 6, Kind: Lost}, Fault{At: 8, Kind: Resolved})
}

// TestLateAnswerDoesNotUndoAnEnd: of two managers that both lead, one is stopped while it posts, and
// the other finds out that the request has succeeded. What the first one has to say comes too late.
func TestLateAnswerDoesNotUndoAnEnd(t *testing.T) {
	for _, kind := range []Kind{Late, LostLate} {
		holds(t, "CancellationAbort", 2, Fault{At: 9, Kind: kind})
		holds(t, "PlanChange", 2, Fault{At: 18, Kind: kind})
	}
}

// TestLostAnswerDoesNotUndoAnAlarm: the same, and the other one has called for a person.
func TestLostAnswerDoesNotUndoAnAlarm(t *testing.T) {
	holds(t, "OrderCreate", 2, Fault{At: 8, Kind: LostLate})
	holds(t, "AggregationConversion", 2, Fault{At: 9, Kind: LostLate})
}

// TestLateResultDoesNotUndoAFailure: a poll is answered late, and the next one in between with 422.
func TestLateResultDoesNotUndoAFailure(t *testing.T) {
	holds(t, "CancellationReschedule", 2, Fault{At: 16, Kind: Late}, Fault{At: 17, Kind: Invalid})
}

// TestLateQuestionDoesNotUndoAnAnswer: a question is posted by two managers, and one hears so only
// when the other one has its answer. That one stands.
func TestLateQuestionDoesNotUndoAnAnswer(t *testing.T) {
	holds(t, "PlanOptions", 2, Fault{At: 4, Kind: LostLate})
	holds(t, "AppointmentSlots", 2, Fault{At: 5, Kind: Late})
}

// TestTwoAlarmsAreBothResolved: two processes end with an intent on record, and a person is
// called twice.
func TestTwoAlarmsAreBothResolved(t *testing.T) {
	holds(t, "PlanChange", 1, Fault{At: 10, Kind: CrashAfter}, Fault{At: 32, Kind: CrashAfter})
}

// holds carries a plan out for an operation, and expects that everything holds.
func holds(t *testing.T, asks v1alpha1.Operation, managers int, faults ...Fault) {
	t.Helper()
	scheme := stage(t)
	for _, story := range Stories() {
		if story.Asks != asks {
			continue
		}
		plan := Plan{Story: story, Managers: managers, Faults: faults}
		if broken := carryOut(t, scheme, plan, &Tally{}).Broken; len(broken) > 0 {
			t.Errorf("%s: %s", plan, broken)
		}
	}
}
