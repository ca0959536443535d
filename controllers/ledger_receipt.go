// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// Refer has a status name the ledger. Who shows what could not be recorded in it has seen all of it.
func (l *objectLedger) Refer(status operate.Subject) {
	at, revision := l.kind.shownLedger(status).at, int64(0)
	if l.ledger != nil {
		revision = l.ledger.Spec.Revision
	}
	if shown := *at; shown != nil && shown.Name == l.name {
		revision = max(revision, shown.Revision)
	}
	*at = &v1alpha1.LedgerReference{Name: l.name, Revision: revision}
}

// receiptIn is an attempt of which a status says where the carrier follows it, and the ledger does
// not; nil for none.
func (l *objectLedger) receiptIn(shown []v1alpha1.Request) *v1alpha1.Request {
	at := slices.IndexFunc(shown, func(request v1alpha1.Request) bool { return l.ledger.LacksReceipt(&request) })
	if at < 0 {
		return nil
	}
	return shown[at].DeepCopy()
}

// unrecorded is what the status alone has of an attempt; nil for none. What this process still holds
// the answer to it records itself.
func (p *pass) unrecorded() *v1alpha1.Request {
	receipt := p.ledger.receipt
	if receipt != nil && p.Protocol.Memory.Receipt(receipt.AttemptID) != nil {
		return nil
	}
	return receipt
}
