// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// answeredRequest returns a decision if this process has an answer that is not recorded.
func answeredRequest(in *Input) *Decision {
	for _, open := range in.Subject.OpenRequests() {
		if in.Memory.Attempts[open.AttemptID].Receipt != nil {
			return &Decision{Step: RecordAnswer{AttemptID: open.AttemptID}, Verdict: progressing(open)}
		}
	}
	return nil
}

// heldBack holds back a request after a definitive failure of the last one: "it needs a new
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
		decision.Verdict.State = Working // "wait and try again": no person is needed
	}
	return lookAgain(decision, earlier(again, retryDue(in, last)))
}

// endedInFailure reports whether an attempt is not repeated automatically: it was rejected, has
// failed or was abandoned, or it is a query that stayed unanswered three times.
func endedInFailure(last *v1alpha1.Request) bool {
	return last != nil && (Definitive(last.Phase) || exhausted(last))
}

// serves reports whether an attempt was made for the current spec and by this object.
func serves(in *Input, last *v1alpha1.Request) bool {
	another := last.UID != "" && last.UID != string(in.Subject.GetUID())
	return !another && last.Generation == in.Subject.GetGeneration()
}

// Definitive reports whether an attempt ended in a failure that is not repeated automatically.
func Definitive(phase v1alpha1.RequestPhase) bool {
	return phase == v1alpha1.PhaseFailed || phase == v1alpha1.PhaseRejected || phase == v1alpha1.PhaseAbandoned
}

// resolveHandled sets whether the resolve annotation counts as handled with this decision. The
// annotations that a request uses up are handled by its intent, not here.
func resolveHandled(in *Input, decision Decision) v1alpha1.Handled {
	handled := *in.Subject.Controls()
	settled, resolves := decision.Step.(Resolve)
	if resolves && resolutionNames(in, settled.AttemptID) || resolutionIsVoid(in) {
		handled.Resolve = resolveAnnotation(in)
	}
	return handled
}
