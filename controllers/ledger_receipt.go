// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// Refer writes the ledger's name to a status. The revision in it is the newest seen, because the
// object has seen all of the ledger.
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

// receiptIn returns an attempt whose Location is in the status but not in the ledger; nil for none.
func (l *objectLedger) receiptIn(shown []v1alpha1.Request) *v1alpha1.Request {
	at := slices.IndexFunc(shown, func(request v1alpha1.Request) bool { return l.ledger.LacksReceipt(&request) })
	if at < 0 {
		return nil
	}
	return shown[at].DeepCopy()
}

// unrecorded returns an attempt whose receipt only the status has; nil for none. An answer that
// this process still has in memory is excluded: it is recorded from there.
func (p *pass) unrecorded() *v1alpha1.Request {
	receipt := p.ledger.receipt
	if receipt != nil && p.Protocol.Memory.Receipt(receipt.AttemptID) != nil {
		return nil
	}
	return receipt
}
