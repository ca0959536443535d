// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// differentCarriers says what separates the accounts of two carriers.
const differentCarriers = "CarrierAccounts of different carriers need different values of spec.identity"

// AtAnotherCarrier reports whether the ledger and the account belong to different carriers.
func AtAnotherCarrier(in *LedgerInput) bool {
	return in.Ledger.Spec.BaseURL != in.Account.Object.Spec.BaseURL
}

// CarrierConflict implements: "an account of the identity with another [baseURL] is Conflict:
// nothing is sent, nothing becomes unknown" (R4).
func CarrierConflict(in *LedgerInput) LedgerVerdict {
	if MovedByPerson(in) {
		return LedgerVerdict{Move: true}
	}
	judged := LedgerVerdict{Unused: whyNotMoved(&in.Input), Verdict: &Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
		"RequestLedger %s of %s belongs to the carrier at %s, but the account uses the carrier at %s: nothing is sent. "+
			"%s. %s",
		in.Ledger.Name, ownerOf(in.Ledger), in.Ledger.Spec.BaseURL, in.Account.Object.Spec.BaseURL, differentCarriers,
		sameCarrierHint(&in.Input))}}
	if value := ResolveAnnotation(&in.Input); judged.Unused != "" && value != in.Subject.Controls().Resolve {
		judged.Resolve = value
	}
	return judged
}

// MovedByPerson implements: "`resolve: all@<time>=SameCarrier` moves the ledger, for a carrier that
// has only moved its address" (R4).
func MovedByPerson(in *LedgerInput) bool {
	return !isUsedUp(&in.Input, ResolveAnnotation(&in.Input)) && movesLedger(&in.Input, in.Ledger)
}

// MovesIdentity reports whether a person's resolution moves the ledger of an account's identity.
// The resolution is used up once it has moved this ledger, not when it has moved that of an object:
// the objects of an identity are annotated together, and the first moves what they share.
func MovesIdentity(in *Input, identity *v1alpha1.RequestLedger) bool {
	return identity != nil && identity.Spec.Schema <= v1alpha1.LedgerSchema && !in.Installation.IsLost(identity) &&
		identity.Spec.BaseURL != in.Account.Object.Spec.BaseURL && movesLedger(in, identity)
}

// ConfirmsCarrier reports whether an object has a resolution that confirms that only the address of
// its carrier has changed.
func ConfirmsCarrier(subject Subject) bool {
	resolved, ok := ParseResolution(Control(subject, v1alpha1.AnnotationResolve))
	return ok && resolved.Outcome == resolvedSameCarrier
}

// movesLedger reports whether the resolution of an object moves a ledger that belongs to another
// address. An account never changes its baseURL, so a resolution from before its creation refers to
// another address. A ledger that was moved at or after the time of the resolution has used the
// resolution up.
func movesLedger(in *Input, ledger *v1alpha1.RequestLedger) bool {
	resolved, ok := ParseResolution(ResolveAnnotation(in))
	switch moved := ledger.Spec.Moved; {
	case !ok, resolved.Outcome != resolvedSameCarrier:
		return false
	case moved != nil && !moved.At.Time.Before(resolved.before):
		return false
	}
	return !resolved.before.After(in.Now) && !resolved.before.Before(in.Account.Object.CreationTimestamp.Time)
}

// sameCarrierHint explains how to confirm that only the carrier's address has changed, and why the
// object's annotation does not confirm it.
func sameCarrierHint(in *Input) string {
	const confirmation = resolvedAll + "<present time, RFC 3339>=" + resolvedSameCarrier
	hint := "If only the carrier's address has changed, run: " +
		AnnotateCommand(in, v1alpha1.AnnotationResolve, confirmation)
	if why := whyNotMoved(in); why != "" {
		hint += " (" + why + ")"
	}
	return hint
}

// whyNotMoved explains why a resolution has not moved a ledger that belongs to another address; ""
// if the object has no such resolution.
func whyNotMoved(in *Input) string {
	if in.Account.Object == nil || !ConfirmsCarrier(in.Subject) {
		return ""
	}
	return fmt.Sprintf("the annotation is now %q, which does not move the ledger: its time must "+
		"not be before the creation of the CarrierAccount, %s, or in the future",
		ResolveAnnotation(in), in.Account.Object.CreationTimestamp.UTC().Format(time.RFC3339))
}
