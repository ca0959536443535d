// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// answeredRequest answers when this process holds an answer that is not recorded.
func answeredRequest(in *Input) *Decision {
	for _, open := range in.Subject.OpenRequests() {
		if in.Memory.Attempts[open.AttemptID].Receipt != nil {
			return &Decision{Step: RecordAnswer{AttemptID: open.AttemptID}, Verdict: progressing(open)}
		}
	}
	return nil
}

// heldBack holds a request back after a definitive failure of the last: "it needs a new
// generation or the retry annotation" (submission protocol, repeat classes).
func heldBack(in *Input, last *v1alpha1.Request) *Decision {
	if !endedInFailure(last) || !serves(in, last) || asksAgain(in, last) || unsentRetry(in, last) != nil {
		return nil
	}
	again := tryAgainAt(in, last)
	if !again.IsZero() && !in.Now.Before(again) {
		return nil
	}
	decision := stuck(reasonFor(last), failureMessage(in, last)+retryFlaw(in, last))
	if anotherInProgress(last) {
		decision.Verdict.State = Working // "wait and try again": nobody is needed
	}
	return lookAgain(decision, earlier(again, retryDue(in, last)))
}

// endedInFailure says whether an attempt is not repeated by itself: it was refused, has failed, or was
// given up; or it is a question of which nothing came three times.
func endedInFailure(last *v1alpha1.Request) bool {
	return last != nil && (Definitive(last.Phase) || exhausted(last))
}

// serves says whether an attempt was made for what is declared now, by this very object.
func serves(in *Input, last *v1alpha1.Request) bool {
	another := last.UID != "" && last.UID != string(in.Subject.GetUID())
	return !another && last.Generation == in.Subject.GetGeneration()
}

// Definitive says whether an attempt ended in a failure that is not repeated by itself.
func Definitive(phase v1alpha1.RequestPhase) bool {
	return phase == v1alpha1.PhaseFailed || phase == v1alpha1.PhaseRejected || phase == v1alpha1.PhaseAbandoned
}

// resolveHandled says whether the resolve annotation counts as acted on with this
// decision. Those that a request uses up are consumed by its intent, not here.
func resolveHandled(in *Input, decision Decision) v1alpha1.Handled {
	handled := *in.Subject.Controls()
	settled, resolves := decision.Step.(Resolve)
	if resolves && resolutionNames(in, settled.AttemptID) || resolutionIsVoid(in) {
		handled.Resolve = resolveAnnotation(in)
	}
	return handled
}
