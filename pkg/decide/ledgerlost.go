// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// lacks says whether a status claims more than the ledger has.
func (v *LedgerView) lacks() bool { return v.Lost || v.unrecorded() != nil }

// unrecorded is the attempt in the ledger of which the status alone says where the carrier follows it;
// nil for none, and once a person is asked.
func (v *LedgerView) unrecorded() *v1alpha1.Request {
	if v.Receipt == nil || v.Ledger == nil {
		return nil
	}
	at := slices.IndexFunc(v.Ledger.Spec.Open, func(open v1alpha1.Request) bool {
		return open.AttemptID == v.Receipt.AttemptID
	})
	if at < 0 {
		return v.Receipt
	}
	open := &v.Ledger.Spec.Open[at]
	if open.Phase == v1alpha1.PhaseOutcomeUnknown && unknownReason(open.Error) == v1alpha1.ReasonLedgerLost {
		return nil
	}
	return open
}

// standsForLost is what stands for what was lost: where that is a receipt alone, the very attempt that
// it is about, which a person can settle as accepted by its number.
func standsForLost(v *LedgerView, operation v1alpha1.Operation, what string) *v1alpha1.Request {
	stands := lostAttempt(v, operation, what)
	open := v.unrecorded()
	if v.Lost || open == nil || !v.Ledger.IsOpen(open.AttemptID) {
		return &stands
	}
	return becomes(open, &stands)
}

// becomes is an open attempt that is as unknown as what was lost.
func becomes(open, lost *v1alpha1.Request) *v1alpha1.Request {
	attempt := open.DeepCopy()
	attempt.Phase, attempt.Error, attempt.FinishedAt = lost.Phase, lost.Error, lost.FinishedAt
	return attempt
}

// lostAttempt: a ledger that was lost, or is older than a status shows, "is written into the
// ledger ... as an open entry with an id, and blocks Charge and Never until settled" (R5).
func lostAttempt(v *LedgerView, operation v1alpha1.Operation, what string) v1alpha1.Request {
	account := v.Account.Object
	baseURL := account.Spec.BaseURL
	if v.Ledger != nil {
		baseURL = v.Ledger.Spec.BaseURL // what is left of a ledger stays with its carrier
	}
	return v1alpha1.Request{
		Operation: operation, Attempt: 1, Phase: v1alpha1.PhaseOutcomeUnknown,
		Identity: account.IdentityName(), BaseURL: baseURL, APIVersion: account.Spec.APIVersion,
		Generation: v.Subject.GetGeneration(), FinishedAt: v1alpha1.WholeSeconds(v.Now),
		Error: &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost, Message: lostWords(v, what)},
	}
}

// lostWords says what was lost. What the status says that the carrier has taken is nowhere else (R16).
func lostWords(v *LedgerView, what string) string {
	why := "gone, of another identity, or older than what was seen of it"
	if v.Installation.IsLost(v.Ledger) {
		why = fmt.Sprintf("of another cluster (%q)", v.Ledger.Spec.Cluster)
	}
	words := fmt.Sprintf("the RequestLedger of this %s is %s: what was sent since is not on record", what, why)
	if !v.Lost {
		words = fmt.Sprintf("the RequestLedger of this %s does not have the carrier's answer", what)
	}
	for _, contract := range carrier.Contracts() {
		shown := v.Subject.RequestOf(v1alpha1.Operation(contract.Operation))
		if shown != nil && shown.Location != "" && (v.Ledger.LacksReceipt(shown) || !v.Ledger.Knows(shown)) {
			words += fmt.Sprintf("; by the status the carrier has taken %s attempt %s as %s",
				shown.Operation, shown.AttemptID, shown.Location)
		}
	}
	return words
}
