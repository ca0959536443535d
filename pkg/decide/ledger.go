// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerInput is what it rests on whether an object may use a ledger.
type LedgerInput struct {
	Input // its Ledger is the one in question

	HolderLives bool // whether its holder is there; of no meaning where the object is the holder
	Lost        bool // whether a newer state of it was seen than there is now

	Receipt *v1alpha1.Request // an attempt of which the status alone says where the carrier follows it; nil for none
}

// LedgerVerdict is what a ledger means for an object.
type LedgerVerdict struct {
	Verdict *Verdict          // why nothing may be done
	Take    bool              // the holder is gone: the ledger becomes this object's
	Lost    *v1alpha1.Request // an attempt to record that stands for whatever was lost
	Move    bool              // the carrier has moved its address: the ledger moves to the account's
	Resolve string            // a resolve annotation that can never move it, and counts as acted on; "" for none
}

// unusable says why nothing may be done with a ledger; nil when it can be used.
func unusable(in *LedgerInput) *Verdict {
	switch {
	case isNewer(in):
		return newerLedger(in.Ledger)
	case heldByAnother(in):
		return conflict(in.Ledger)
	}
	return nil
}

// unfit is what a ledger means for an object that cannot use it, or not yet; nil when it can.
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

// isNewer says whether a newer version wrote a ledger: "a newer schema is not written, and stalls what
// it is about" (R30), whatever else it is.
func isNewer(in *LedgerInput) bool {
	return in.Ledger != nil && in.Ledger.Spec.Schema > v1alpha1.LedgerSchema
}

func heldByAnother(in *LedgerInput) bool {
	return in.Ledger != nil && !holds(in) && in.HolderLives
}

// holds says whether an object is the holder of the ledger.
func holds(in *LedgerInput) bool {
	return in.Ledger.Spec.Holder.UID == string(in.Subject.GetUID())
}

func holderOf(ledger *v1alpha1.RequestLedger) string {
	return ledger.Spec.Holder.Namespace + "/" + ledger.Spec.Holder.Name
}

// DamagedLedger is said of an object whose ledger cannot be used.
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

// reachedOf is the newest attempt at an operation that reached the carrier, or may have; nil for
// none. "An attempt of a stale generation" that did not get there takes nothing of it back.
func reachedOf(in *Input, operation v1alpha1.Operation) *v1alpha1.Request {
	newest := in.Subject.RequestOf(operation)
	if newest == nil || newest.Phase.Reached() {
		return newest
	}
	return in.Ledger.ReachedLast(operation)
}
