// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

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

// statusLost: "The finalizer present and the status empty means that the status was
// lost: nothing chargeable is sent". The finalizer comes after the first request is in
// the status, so a finalizer without a request says it, whatever else the status holds.
func statusLost(v *View, operation v1alpha1.Operation, requests int) *Decision {
	held, account := slices.Contains(v.Subject.GetFinalizers(), v1alpha1.Finalizer), v.Account.Object
	if !held || requests > 0 || account == nil {
		return nil
	}
	lost := v1alpha1.Request{
		Operation: operation, Attempt: 1, Phase: v1alpha1.PhaseOutcomeUnknown,
		Identity: account.IdentityName(), BaseURL: account.Spec.BaseURL, APIVersion: account.Spec.APIVersion,
		Generation: v.Subject.GetGeneration(),
		Error: &v1alpha1.RequestError{
			Code:    v1alpha1.ReasonStatusLost,
			Message: "the object has the operator's finalizer and no request on record: its memory of what was sent is gone",
		},
	}
	return &Decision{Step: MournStatus{Request: lost}, Verdict: unknown(v, &lost)}
}

// heldBack holds a request back after a definitive failure of the last: "it needs a new
// generation or the retry annotation" (submission protocol, repeat classes).
func heldBack(v *View, last *v1alpha1.Request) *Decision {
	if last == nil || !Definitive(last.Phase) || !serves(v, last) || asksAgain(v, last) || unsentRetry(v, last) != nil {
		return nil
	}
	again := tryAgainAt(last)
	if !again.IsZero() && !v.Now.Before(again) {
		return nil
	}
	decision := stuck(reasonOf(last.Error), failureMessage(v, last)+retryFlaw(v, last))
	if anotherInProgress(last) {
		decision.Verdict.Standing = Working // "wait and try again": nobody is needed
	}
	return lookAgain(decision, earlier(again, retryDue(v, last)))
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
