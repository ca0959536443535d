// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// busyPause is the least pause after a refusal because another request is in progress.
const busyPause = 5 * time.Minute

// isBusy reports whether the carrier has refused an attempt because another request is in progress.
func isBusy(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseRejected && isBusyError(request.Error)
}

// isBusyError reports whether the carrier's error says that a request is in progress.
func isBusyError(why *v1alpha1.RequestError) bool {
	return why != nil && strings.HasSuffix(strings.ReplaceAll(why.Code, "-", "."), ".in.progress")
}

// isWarned reports whether, between two POSTs for the same thing, the carrier has said that one is
// in progress and nobody has allowed another POST since. A person who has resolved the first one
// as not accepted has allowed one more POST, whose refusal then shows that the person was wrong.
func (w *recorder) isWarned(one, earlier *post) bool {
	return slices.ContainsFunc(w.intents, func(between intent) bool {
		since := between.number > earlier.number && between.number < one.number
		return since && one.isFor(&between.Request) && w.refusedAsBusy[between.AttemptID] && !w.repeatable[between.AttemptID]
	})
}

// inProgress returns the request because of which the carrier has refused an attempt, and which it
// may have carried out by now; nil if that request is somebody else's.
func (w *recorder) inProgress(refused *v1alpha1.Request) *post {
	at := slices.IndexFunc(w.sent, func(one *post) bool { return one.accepted && one.isFor(refused) })
	if at < 0 || !w.refusedAsBusy[refused.AttemptID] {
		return nil
	}
	return w.sent[at]
}

// isFor reports whether a POST is for the same thing as an attempt.
func (p *post) isFor(attempt *v1alpha1.Request) bool {
	return sameRequest(p, &post{
		operation: attempt.Operation, target: attempt.Target, uid: types.UID(attempt.UID),
	})
}

// isTooSoon reports whether an attempt was made too soon: the carrier refused the same request as
// busy before, the pause after that refusal was not over, and no person has asked for this attempt.
func (t *replacement) isTooSoon() bool {
	before, after := &t.before, &t.after
	same := before.UID == after.UID && before.Generation == after.Generation && before.BodyHash == after.BodyHash
	again := t.asked || after.Retry != before.Retry
	return isBusy(before) && same && !again && t.at.Sub(before.FinishedAt.Time) < busyPause
}

// asksForSlots reports whether a person has requested other slots of an AppointmentRequest. A new
// value of the reconcile annotation sends another query, even after a refusal.
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
	other := func(fault Fault) bool { return fault.Kind != Busy }
	if len(r.approved) <= 1 || len(r.resolved) > 0 || slices.ContainsFunc(r.plan.Faults, other) {
		return ""
	}
	return fmt.Sprintf("a person had to approve %d times", len(r.approved))
}
