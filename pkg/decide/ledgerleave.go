// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerStays holds back new requests if the ledger is being deleted: such a ledger "is read and
// closed, never opened".
func LedgerStays(in *Input, _ DesiredChange) *Decision { return leaving(in.Ledger) }

// leaving returns why nothing new is sent; nil if the ledger is not being deleted.
func leaving(ledger *v1alpha1.RequestLedger) *Decision {
	if ledger == nil || ledger.DeletionTimestamp.IsZero() {
		return nil
	}
	return RestStuck(v1alpha1.ReasonLedgerDeleting, fmt.Sprintf(
		"RequestLedger %s is being deleted, which cannot be taken back: nothing new is sent, and what is in progress is "+
			"followed to its end. Keep a copy (kubectl get ledger %s -o yaml); docs/requestledger.md says how to put it back, "+
			"or to have it forgotten", ledger.Name, ledger.Name))
}

// KeepsLedger returns why a ledger that is being deleted must stay, regardless of its holder; "" if
// it need not: "the finalizer goes only where nothing is open, the holder is gone, and the
// annotation ... repeats its name".
func KeepsLedger(ledger *v1alpha1.RequestLedger) string {
	open := make([]string, 0, len(ledger.Spec.Open))
	for _, attempt := range ledger.Spec.Open {
		open = append(open, fmt.Sprintf("%s attempt %s is %s", attempt.Operation, attempt.AttemptID, attempt.Phase))
	}
	switch {
	case len(open) > 0:
		return fmt.Sprintf("%s: it stays until that has ended, or a person has settled it", strings.Join(open, ", "))
	case ledger.Annotations[v1alpha1.AnnotationForget] != ledger.Name:
		return fmt.Sprintf("it stays, because what it has may be sent again without it. To have it forgotten all the "+
			"same, delete its object and kubectl annotate --overwrite ledger %s %s=%s",
			ledger.Name, v1alpha1.AnnotationForget, ledger.Name)
	}
	return ""
}

// KeptByObject is the message that an object keeps a ledger that is being deleted.
func KeptByObject(object string) string {
	return object + " goes by it: it stays until that is deleted"
}
