// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// busyPause implements: "wait and try again (5 to 30 min)".
const busyPause = 5 * time.Minute

// isBusy reports whether the carrier has refused an attempt because another request is in progress.
func isBusy(request *v1alpha1.Request) bool {
	refused := request.Phase == v1alpha1.PhaseRejected && request.Error != nil
	return refused && strings.HasSuffix(strings.ReplaceAll(request.Error.Code, "-", "."), ".in.progress")
}

// isTooSoon reports whether an attempt was made too soon: the carrier refused the same request as
// busy before, the pause after that refusal was not over, and no person has asked for this attempt.
func (t *replacement) isTooSoon() bool {
	before, after := &t.before, &t.after
	same := before.UID == after.UID && before.Generation == after.Generation && before.BodyHash == after.BodyHash
	again := t.asked || after.Retry != before.Retry
	return isBusy(before) && same && !again && t.at.Sub(before.FinishedAt.Time) < busyPause
}

// asksForSlots reports whether a person has requested other slots of an AppointmentRequest: a new
// value of the reconcile annotation sends another query, after a refusal, too.
func asksForSlots(object Subject) bool {
	appointment, is := object.(*v1alpha1.AppointmentRequest)
	if !is {
		return false
	}
	asked := appointment.Annotations[v1alpha1.AnnotationReconcile]
	return asked != "" && asked != appointment.Status.Handled.Reconcile
}

func busyPauseRespected(w *recorder) string {
	for _, turn := range w.replacements {
		if turn.isTooSoon() && !w.statusLost {
			return fmt.Sprintf("%s follows %s, which was refused because another request is in progress, after %s",
				turn.after.AttemptID, turn.before.AttemptID, turn.at.Sub(turn.before.FinishedAt.Time))
		}
	}
	return ""
}

// checkPause checks invariant 27, Patient.
func (c *simulationRecorder) checkPause(of replacement) {
	if of.isTooSoon() {
		c.report(27, fmt.Sprintf("%s follows %s too soon", of.after.AttemptID, of.before.AttemptID))
	}
}

// refusedAsBusy is the name under which a simulation counts requests that are refused as busy.
const refusedAsBusy = "a request is refused because another is in progress"

// countBusy counts an attempt that was refused because another request is in progress.
func (c *simulationRecorder) countBusy(request *v1alpha1.Request) {
	if isBusy(request) {
		c.countAction(refusedAsBusy)
	}
}

// neededApprovals describes a run in which nothing went wrong except for requests that were refused
// as busy, and yet a person had to approve the same change more than once; "" for any other run.
func (r *run) neededApprovals() string {
	busy := func(fault Fault) bool { return fault.Kind == Busy }
	if len(r.approved) <= 1 || slices.ContainsFunc(r.plan.Faults, func(fault Fault) bool { return !busy(fault) }) {
		return ""
	}
	return fmt.Sprintf("a person had to approve %d times", len(r.approved))
}
