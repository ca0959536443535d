// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerInput is the input of the decision whether an object may use a ledger.
type LedgerInput struct {
	Input // its Ledger is the one in question

	HolderLives bool // whether its holder exists; meaningless if the object is the holder
	Lost        bool // whether a newer state of it was seen than the current one

	Receipt *v1alpha1.Request // an attempt whose Location is only recorded in the status; nil if none
}

// LedgerVerdict is the decision about a ledger for an object.
type LedgerVerdict struct {
	Verdict *Verdict          // why nothing may be done; nil if the ledger may be used
	Take    bool              // the holder no longer exists: this object becomes the holder
	Lost    *v1alpha1.Request // an attempt to be recorded that stands for everything that was lost
	Move    bool              // the carrier's address has changed: the ledger takes the account's new one
	Resolve string            // a resolve annotation that can never move it and counts as handled; "" if none
}

// unusable returns why a ledger cannot be used; nil if it can.
func unusable(in *LedgerInput) *Verdict {
	switch {
	case isNewer(in):
		return newerLedger(in.Ledger)
	case heldByAnother(in):
		return conflict(in.Ledger)
	}
	return nil
}

// unfit returns the decision about a ledger that an object cannot use, or not yet; nil if it can.
func unfit(in *LedgerInput) *LedgerVerdict {
	why := unusable(in)
	switch {
	case why != nil:
		return &LedgerVerdict{Verdict: why}
	case atAnotherCarrier(in):
		return new(elsewhere(in))
	}
	return nil
}

// isNewer reports whether a newer version wrote a ledger: "a newer schema is not written, and
// stalls what it is about" (R30), regardless of its other content.
func isNewer(in *LedgerInput) bool {
	return in.Ledger != nil && in.Ledger.Spec.Schema > v1alpha1.LedgerSchema
}

func heldByAnother(in *LedgerInput) bool {
	return in.Ledger != nil && !holds(in) && in.HolderLives
}

// holds reports whether an object is the holder of the ledger.
func holds(in *LedgerInput) bool {
	return in.Ledger.Spec.Holder.UID == string(in.Subject.GetUID())
}

func holderOf(ledger *v1alpha1.RequestLedger) string {
	return ledger.Spec.Holder.Namespace + "/" + ledger.Spec.Holder.Name
}

// DamagedLedger is the verdict on an object whose ledger cannot be used.
func DamagedLedger(err error) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, err.Error() +
		": nothing is sent. Restore it from a backup, or find out who wrote it"}
}

func newerLedger(ledger *v1alpha1.RequestLedger) *Verdict {
	return &Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, fmt.Sprintf(
		"RequestLedger %s was written by a newer version of the operator (schema %d): run that version again",
		ledger.Name, ledger.Spec.Schema)}
}

func conflict(ledger *v1alpha1.RequestLedger) *Verdict {
	verdict := Verdict{Stuck, v1alpha1.ReasonConflict, ""}
	switch {
	case ledger.Spec.Service != nil:
		verdict.Message = fmt.Sprintf("service %s is already managed by BroadbandService %s: delete one of the two",
			ledger.Spec.Service.ID, holderOf(ledger))
	case ledger.Spec.Order != nil:
		verdict.Message = fmt.Sprintf(
			"customerReference %q is held by ServiceOrder %s: an order is sent at most once for it. "+
				"Delete one of the two, or give this one a customerReference of its own",
			ledger.Spec.Order.CustomerReference, holderOf(ledger))
	}
	return &verdict
}

// reachedOf returns the newest attempt at an operation that reached the carrier, or may have; nil
// if none did. "An attempt of a stale generation" that did not reach it does not supersede the
// earlier one.
func reachedOf(in *Input, operation v1alpha1.Operation) *v1alpha1.Request {
	newest := in.Subject.RequestOf(operation)
	if newest == nil || newest.Phase.Reached() {
		return newest
	}
	return in.Ledger.ReachedLast(operation)
}
