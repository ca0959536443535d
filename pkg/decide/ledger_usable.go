// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerInput is the input of the decision whether an object may use a ledger.
type LedgerInput struct {
	Input // its Ledger is the one in question

	HolderExists bool // whether its holder exists; meaningless if the object is the holder
	Lost         bool // whether a state of the ledger was seen that is newer than the current one

	Former *v1alpha1.RequestLedger // the ledger of the same subject and another login that the status names; nil for none

	Receipt *v1alpha1.Request // an attempt whose Location is only recorded in the status; nil if none
}

// LedgerVerdict is the decision about a ledger for an object.
type LedgerVerdict struct {
	Verdict  *Verdict          // why nothing may be done; nil if the ledger may be used
	TakeOver bool              // the holder no longer exists: this object becomes the holder
	Lost     *v1alpha1.Request // an attempt to be recorded that stands for everything that was lost
}

// WhyNotUsable returns why a ledger cannot be used: a newer version wrote it, or another object is its
// holder. Nil if neither applies.
func WhyNotUsable(in *LedgerInput) *Verdict {
	switch {
	case IsNewerSchema(in):
		return NewerLedger(in.Ledger)
	case HasOtherHolder(in):
		return conflict(in.Ledger)
	}
	return nil
}

// IsNewerSchema reports whether a newer version wrote a ledger. This version cannot write it
// without dropping fields, so its objects stall, whatever else it contains (R30).
func IsNewerSchema(in *LedgerInput) bool {
	return in.Ledger != nil && in.Ledger.Spec.Schema > v1alpha1.LedgerSchema
}

// HasOtherHolder reports whether another object that exists is the holder of the ledger.
func HasOtherHolder(in *LedgerInput) bool {
	return in.Ledger != nil && !IsHolder(in) && in.HolderExists
}

// IsHolder reports whether an object is the holder of the ledger.
func IsHolder(in *LedgerInput) bool {
	return in.Ledger.Spec.Holder.UID == string(in.Subject.GetUID())
}

func holderOf(ledger *v1alpha1.RequestLedger) string {
	return ledger.Spec.Holder.Namespace + "/" + ledger.Spec.Holder.Name
}

// DamagedLedger is the verdict on an object whose ledger cannot be used.
func DamagedLedger(err error) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, "the operator cannot " + err.Error() +
		". Nothing is sent. Restore the RequestLedger from a backup, or find out what changed it"}
}

// NewerLedger is the verdict on an object whose ledger a newer version has written.
func NewerLedger(ledger *v1alpha1.RequestLedger) *Verdict {
	return &Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, fmt.Sprintf(
		"RequestLedger %s was written by a newer version of the operator (schema %d): run that version again",
		ledger.Name, ledger.Spec.Schema)}
}

// LedgerOfNewerVersion is the verdict on an object for which a ledger of a newer version would have
// to be written.
func LedgerOfNewerVersion(err error) Verdict {
	return Stuck.Verdict(v1alpha1.ReasonLedgerUnreadable,
		"the operator cannot "+err.Error()+". Nothing is sent: run that version again")
}

func conflict(ledger *v1alpha1.RequestLedger) *Verdict {
	verdict := Verdict{Stuck, v1alpha1.ReasonConflict, ""}
	switch {
	case ledger.Spec.Service != nil:
		verdict.Message = fmt.Sprintf("service %s is already managed by BroadbandService %s: delete one of the two",
			ledger.Spec.Service.ID, holderOf(ledger))
	case ledger.Spec.Order != nil:
		verdict.Message = fmt.Sprintf(
			"customerReference %q is already used by ServiceOrder %s: at most one order is placed for a customerReference. "+
				"Delete one of the two ServiceOrders. For another order, create one with a customerReference of its own",
			ledger.Spec.Order.CustomerReference, holderOf(ledger))
	}
	return &verdict
}

// ReachedOf returns the newest attempt at an operation that reached the carrier, or may have; nil
// if none did. An attempt that did not reach the carrier, such as one that was begun for an older
// generation and stopped, does not supersede the earlier attempt.
func ReachedOf(in *Input, operation v1alpha1.Operation) *v1alpha1.Request {
	newest := in.Subject.Record().RequestOf(operation)
	if newest == nil || newest.Phase.Reached() {
		return newest
	}
	return in.Ledger.ReachedLast(operation)
}

// SameState reports whether two requests are the same attempt in the same phase.
func SameState(a, b *v1alpha1.Request) bool {
	return a != nil && b != nil && a.AttemptID == b.AttemptID && a.Phase == b.Phase
}

// LedgerName returns the name of the ledger for the login and the subject of a spec: a hash of the
// JSON array [kind, baseURL, clientName, id]. It is "" if the spec has no subject.
func LedgerName(spec *v1alpha1.RequestLedgerSpec) string {
	switch {
	case spec.Order != nil:
		return ledgerName("order", spec.Login, spec.Order.CustomerReference)
	case spec.Service != nil && spec.Service.ID != "":
		return ledgerName("service", spec.Login, string(spec.Service.ID))
	case spec.Diagnostics != nil && spec.Diagnostics.ID != "":
		return ledgerName("diagnostics", spec.Login, string(spec.Diagnostics.ID))
	case spec.Account != nil:
		return LoginLedgerName(spec.Login)
	}
	return ""
}

// LoginLedgerName returns the name of the ledger of what the accounts of a login share.
func LoginLedgerName(login v1alpha1.CarrierLogin) string { return ledgerName("login", login, "") }

func ledgerName(kind string, login v1alpha1.CarrierLogin, id string) string {
	return kind + "-" + hashOf([]string{kind, login.BaseURL, login.ClientName, id})
}
