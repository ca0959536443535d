// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// JudgeIdentity decides about an account from the ledgers that contain its login: "(baseURL,
// clientName) -> identity is on record in the identity's ledger when the account first sends. An
// account that says another identity is not Ready, IdentityChanged, until a person acknowledges it"
// (R31). record is true if the login has to be recorded: there is no verdict, and no ledger of the
// account's identity contains it yet.
func JudgeIdentity(account *v1alpha1.CarrierAccount, ledgers []v1alpha1.RequestLedger) (verdict *Verdict, record bool) {
	identity := account.IdentityName()
	own := func(ledger v1alpha1.RequestLedger) bool { return ledger.Spec.Identity == identity }
	switch {
	case slices.ContainsFunc(ledgers, own):
		return nil, false
	case len(ledgers) == 0, account.Annotations[v1alpha1.AnnotationAcknowledge] == identity:
		return nil, true
	}
	held := &ledgers[0]
	return &Verdict{Stuck, v1alpha1.ReasonIdentityChanged, fmt.Sprintf(
		"clientName %s has already sent requests to %s under identity %s (RequestLedger %s), but this CarrierAccount has "+
			"identity %s, under which none of those requests are known: nothing is sent. Recreate the CarrierAccount with "+
			"spec.identity: %s; or, if it covers other services, run: kubectl -n %s annotate --overwrite carrieraccount %s "+
			"'%s=%s'",
		account.Spec.Auth.ClientName, account.Spec.BaseURL, held.Spec.Identity, held.Name, identity, held.Spec.Identity,
		account.Namespace, account.Name, v1alpha1.AnnotationAcknowledge, identity)}, false
}

// ForeignIdentity returns why nothing may be sent for an identity whose ledger belongs to a cluster
// that does not count (R26): its reservations were for requests sent elsewhere, and it lacks what
// was sent here. Nil if the ledger belongs to this cluster.
func ForeignIdentity(ledger *v1alpha1.RequestLedger, here Installation) *Verdict {
	if !here.IsLost(ledger) {
		return nil
	}
	return &Verdict{Stuck, v1alpha1.ReasonLedgerLost, fmt.Sprintf(
		"RequestLedger %s, which counts what identity %s sends, belongs to another cluster (%q): nothing is sent. "+
			"Find out who put it here, and check with the carrier what has been sent; then run: %s",
		ledger.Name, ledger.Spec.Identity, ledger.Spec.Cluster, here.command())}
}
