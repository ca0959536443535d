// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// IsIncomplete reports whether the status shows more than the ledger contains.
func (in *LedgerInput) IsIncomplete() bool { return in.Lost || in.unrecorded() != nil }

// unrecorded returns the attempt whose Location is in the status but not in the ledger; nil if
// there is none, or if it already waits for a person's resolution.
func (in *LedgerInput) unrecorded() *v1alpha1.Request {
	if in.Receipt == nil || in.Ledger == nil {
		return nil
	}
	at := slices.IndexFunc(in.Ledger.Spec.Open, func(open v1alpha1.Request) bool {
		return open.AttemptID == in.Receipt.AttemptID
	})
	if at < 0 {
		return in.Receipt
	}
	open := &in.Ledger.Spec.Open[at]
	if open.Phase == v1alpha1.PhaseOutcomeUnknown && IsLostWithItsLedger(open) {
		return nil
	}
	return open
}

// ReceiptLost returns the attempt that stands for the lost records. If only a Location was lost, it
// is the attempt with this Location, which a person can resolve as accepted with its request id.
func ReceiptLost(in *LedgerInput, operation v1alpha1.Operation, what string) *v1alpha1.Request {
	lost := LostAttempt(in, operation, what)
	open := in.unrecorded()
	if in.Lost || open == nil || !in.Ledger.IsOpen(open.AttemptID) {
		return &lost
	}
	return WithOutcomeOf(open, &lost)
}

// WithOutcomeOf returns a copy of an open attempt with the same unknown outcome as the lost one.
func WithOutcomeOf(open, lost *v1alpha1.Request) *v1alpha1.Request {
	attempt := open.DeepCopy()
	attempt.Phase, attempt.Error, attempt.FinishedAt = lost.Phase, lost.Error, lost.FinishedAt
	return attempt
}

// LostAttempt returns the entry that stands for a ledger that was lost, or for a ledger that is
// older than a status shows. It is recorded as an open attempt, so that it holds back every
// costly request until a person has resolved it (R5).
func LostAttempt(in *LedgerInput, operation v1alpha1.Operation, what string) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: operation, Attempt: 1, Phase: v1alpha1.PhaseOutcomeUnknown,
		Login: in.Account.Memory(), APIVersion: apiVersionOf(in.Account.Object, operation),
		Generation: in.Subject.GetGeneration(), FinishedAt: v1alpha1.WholeSeconds(in.Now),
		Error: &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost, Message: lostText(in, what)},
	}
}

// lostText describes what was lost. A request that the carrier accepted may be recorded nowhere but
// in the status (R16).
func lostText(in *LedgerInput, what string) string {
	why := "is missing, or is older than the newest one seen"
	if in.Installation.IsLost(in.Ledger) {
		why = fmt.Sprintf("belongs to another cluster (%q)", in.Ledger.Spec.Cluster)
	}
	words := fmt.Sprintf("the RequestLedger of this %s %s: the record of what was sent is incomplete", what, why)
	if !in.Lost {
		words = fmt.Sprintf("the RequestLedger of this %s does not contain the carrier's response", what)
	}
	for _, shown := range newestRequests(&in.Input) {
		if shown.Location != "" && (in.Ledger.LacksReceipt(shown) || !in.Ledger.Knows(shown)) {
			words += fmt.Sprintf("; according to the status, the carrier accepted %s attempt %s as %s",
				shown.Operation, shown.AttemptID, shown.Location)
		}
	}
	return words
}
