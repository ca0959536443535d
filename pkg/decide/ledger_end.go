// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerKeptWhole is how long a ledger keeps everything after its last attempt.
const LedgerKeptWhole = 90 * 24 * time.Hour

// MayShrink reports whether a ledger may be reduced to what prevents a second request, provided
// that no object uses it: it is about an order, a service or the tests of one, nothing is open, and
// the newest attempt is older than LedgerKeptWhole.
func MayShrink(ledger *v1alpha1.RequestLedger, now time.Time) bool {
	spec := &ledger.Spec
	isAbout := spec.Order != nil || spec.Service != nil || spec.Diagnostics != nil
	if !isAbout || len(spec.Open) > 0 || !ledger.DeletionTimestamp.IsZero() || spec.Schema > v1alpha1.LedgerSchema {
		return false
	}
	return !slices.ContainsFunc(ledger.History(), func(attempt *v1alpha1.Request) bool {
		last := Later(attempt.SubmittedAt.Time, attempt.FinishedAt.Time)
		if resolved := attempt.ResolvedBy; resolved != nil {
			last = Later(last, resolved.At.Time)
		}
		return now.Before(last.Add(LedgerKeptWhole))
	})
}

// Shrink reduces a ledger to what prevents a second request: per operation, the newest attempt that
// reached the carrier or may have, and who approved and resolved it. What is known of a service
// stays, because a service that is managed again is compared with it. It reports whether anything
// changes.
func Shrink(ledger *v1alpha1.RequestLedger) (changed bool) {
	spec := &ledger.Spec
	before := spec.DeepCopy()
	spec.Ended = nil
	if order := before.Known.Order; order != nil {
		spec.Known.Order = &v1alpha1.OrderFacts{OrderID: order.OrderID, ServiceID: order.ServiceID}
	}
	spec.Last = nil
	for i := range before.Last {
		attempt := &before.Last[i]
		if attempt.Phase.Reached() && ledger.ReachedLast(attempt.Operation) == nil {
			spec.Last = append(spec.Last, summaryOf(attempt))
		}
	}
	return !equality.Semantic.DeepEqual(before, spec)
}

func summaryOf(attempt *v1alpha1.Request) v1alpha1.Request {
	summary := v1alpha1.Request{
		Operation: attempt.Operation, Attempt: attempt.Attempt, AttemptID: attempt.AttemptID, UID: attempt.UID,
		Generation: attempt.Generation, TakenOver: attempt.TakenOver, Login: attempt.Login, Target: attempt.Target,
		ApprovedHash: attempt.ApprovedHash, ApprovedBy: attempt.ApprovedBy, Phase: attempt.Phase,
		Location: attempt.Location, APIVersion: attempt.APIVersion, SubmittedAt: attempt.SubmittedAt,
		FinishedAt: attempt.FinishedAt, EndedBy: attempt.EndedBy, ResolvedBy: attempt.ResolvedBy,
	}
	if attempt.Error != nil {
		summary.Error = &v1alpha1.RequestError{Code: attempt.Error.Code, HTTPStatus: attempt.Error.HTTPStatus}
	}
	return summary
}

// ledgerIsBeingDeleted holds back new requests if the ledger is being deleted: an attempt opened
// now could not be recorded once the ledger is gone (R3).
func ledgerIsBeingDeleted(in *Input, _ DesiredChange) *Decision {
	ledger := in.Ledger
	if ledger == nil || ledger.DeletionTimestamp.IsZero() {
		return nil
	}
	return RestStuck(v1alpha1.ReasonLedgerDeleting, fmt.Sprintf(
		"RequestLedger %s is being deleted, which cannot be undone: nothing new is sent, and requests in progress "+
			"are tracked until they end. Keep a copy (kubectl get ledger %s -o yaml); docs/requestledger.md explains how to "+
			"restore the ledger or give it up", ledger.Name, ledger.Name))
}

// WhyLedgerKept returns why a ledger that is being deleted must stay, regardless of its holder;
// "" if it need not. It stays while an attempt is open, or if its annotation AnnotationForget
// does not repeat its name (R3).
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
