// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// answeredRequest answers when this process holds an answer that is not recorded.
func answeredRequest(v *View) *Decision {
	for _, open := range v.Subject.OpenRequests() {
		if v.Memory.Attempts[open.AttemptID].Receipt != nil {
			return &Decision{Step: Record{AttemptID: open.AttemptID}, Verdict: progressing(open)}
		}
	}
	return nil
}

// heldBack holds a request back after a definitive failure of the last: "it needs a new
// generation or the retry annotation" (submission protocol, repeat classes).
func heldBack(v *View, last *v1alpha1.Request) *Decision {
	if !endedInFailure(last) || !serves(v, last) || asksAgain(v, last) || unsentRetry(v, last) != nil {
		return nil
	}
	again := tryAgainAt(v, last)
	if !again.IsZero() && !v.Now.Before(again) {
		return nil
	}
	decision := stuck(reasonFor(last), failureMessage(v, last)+retryFlaw(v, last))
	if anotherInProgress(last) {
		decision.Verdict.Standing = Working // "wait and try again": nobody is needed
	}
	return lookAgain(decision, earlier(again, retryDue(v, last)))
}

// endedInFailure says whether an attempt is not repeated by itself: it was refused, has failed, or was
// given up; or it is a question of which nothing came three times.
func endedInFailure(last *v1alpha1.Request) bool {
	return last != nil && (Definitive(last.Phase) || exhausted(last))
}

// serves says whether an attempt was made for what is declared now, by this very object.
func serves(v *View, last *v1alpha1.Request) bool {
	another := last.UID != "" && last.UID != string(v.Subject.GetUID())
	return !another && last.Generation == v.Subject.GetGeneration()
}

// Definitive says whether an attempt ended in a failure that is not repeated by itself.
func Definitive(phase v1alpha1.RequestPhase) bool {
	return phase == v1alpha1.PhaseFailed || phase == v1alpha1.PhaseRejected || phase == v1alpha1.PhaseAbandoned
}

// resolveHandled says whether the resolve annotation counts as acted on with this
// decision. Those that a request uses up are consumed by its intent, not here.
func resolveHandled(v *View, decision Decision) v1alpha1.Handled {
	handled := *v.Subject.Controls()
	settled, settles := decision.Step.(Settle)
	if settles && resolutionNames(v, settled.AttemptID) || resolutionIsVoid(v) {
		handled.Resolve = resolveAnnotation(v)
	}
	return handled
}
