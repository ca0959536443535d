// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerNotDeleted holds back new requests if the ledger is being deleted: an attempt that it
// opened could not be recorded once it is gone (R3).
func LedgerNotDeleted(in *Input, _ DesiredChange) *Decision { return heldByDeletedLedger(in.Ledger) }

// heldByDeletedLedger returns why nothing new is sent; nil if the ledger is not being deleted.
func heldByDeletedLedger(ledger *v1alpha1.RequestLedger) *Decision {
	if ledger == nil || ledger.DeletionTimestamp.IsZero() {
		return nil
	}
	return RestStuck(v1alpha1.ReasonLedgerDeleting, fmt.Sprintf(
		"RequestLedger %s is being deleted, which cannot be undone: nothing new is sent, and requests in progress "+
			"are tracked until they end. Keep a copy (kubectl get ledger %s -o yaml); docs/requestledger.md explains how to "+
			"restore the ledger or give it up", ledger.Name, ledger.Name))
}

// WhyLedgerKept returns why a ledger that is being deleted must stay, regardless of its holder; ""
// if it need not. An open attempt keeps it, and so does an annotation that does not repeat its name
// (R3).
func WhyLedgerKept(ledger *v1alpha1.RequestLedger) string {
	open := ledger.Spec.Open
	switch {
	case len(open) > 0:
		return fmt.Sprintf("%s: the ledger stays until this has ended or a person has resolved it", AttemptsText(open))
	case ledger.Annotations[v1alpha1.AnnotationForget] != ledger.Name:
		return fmt.Sprintf("the ledger stays, because without it the requests that it records may be sent again. To give it "+
			"up anyway, delete its object and run: kubectl annotate --overwrite ledger %s %s=%s",
			ledger.Name, v1alpha1.AnnotationForget, ledger.Name)
	}
	return ""
}

// LedgerInUse is the message that an object keeps a ledger that is being deleted.
func LedgerInUse(object string) string {
	return object + " uses this ledger: it stays until that object is deleted"
}
