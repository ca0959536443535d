// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func atAnotherCarrier(in *LedgerInput) bool {
	return in.Ledger.Spec.BaseURL != in.Account.Object.Spec.BaseURL
}

// elsewhere: "an account of the identity with another [baseURL] is Conflict: nothing is sent,
// nothing becomes unknown" (R4).
func elsewhere(in *LedgerInput) LedgerVerdict {
	if movedByPerson(in) {
		return LedgerVerdict{Move: true}
	}
	judged := LedgerVerdict{Verdict: &Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
		"RequestLedger %s of %s speaks of the carrier at %s, and the account is at %s: nothing is sent. "+
			"Two carriers need two values of spec.identity in their CarrierAccounts. %s",
		in.Ledger.Name, holderOf(in.Ledger), in.Ledger.Spec.BaseURL, in.Account.Object.Spec.BaseURL,
		sameCarrierHint(&in.Input))}}
	if word, ok := parseResolution(resolveAnnotation(&in.Input)); ok && word.outcome == resolvedSameCarrier {
		judged.Resolve = resolveAnnotation(&in.Input) // it counts as handled, because it cannot apply later either
		judged.Verdict.Message += fmt.Sprintf(" (now it is %q, which does not move it: "+
			"the time must be one since the CarrierAccount was created, %s, and not in the future)",
			judged.Resolve, in.Account.Object.CreationTimestamp.UTC().Format(time.RFC3339))
	}
	return judged
}

// movedByPerson: "`resolve: all@<time>=SameCarrier` moves the ledger, for a carrier that has only
// moved its address" (R4). An account never changes its baseURL, so a resolution from before its
// creation refers to another address. A ledger that was moved since then has used the resolution
// up.
func movedByPerson(in *LedgerInput) bool {
	value := resolveAnnotation(&in.Input)
	word, ok := parseResolution(value)
	switch moved := in.Ledger.Spec.Moved; {
	case !ok, word.outcome != resolvedSameCarrier, value == in.Subject.Controls().Resolve:
		return false
	case moved != nil && !moved.At.Time.Before(word.before):
		return false
	}
	return !word.before.After(in.Now) && !word.before.Before(in.Account.Object.CreationTimestamp.Time)
}

// sameCarrierHint explains how to confirm that only the carrier's address has changed.
func sameCarrierHint(in *Input) string {
	return fmt.Sprintf("If the carrier has only moved its address: kubectl -n %s annotate --overwrite %s %s "+
		"'%s=%s<present time, RFC 3339>=%s'", in.Subject.GetNamespace(), v1alpha1.ShortName(in.Subject),
		in.Subject.GetName(), v1alpha1.AnnotationResolve, resolvedAll, resolvedSameCarrier)
}
