// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerKeptWhole is how long a ledger keeps everything after its last attempt.
const LedgerKeptWhole = 90 * 24 * time.Hour

// MayShrink reports whether a ledger may be reduced to what prevents a second request, provided that
// no object uses it: it is about an order, a service or the tests of one, nothing is open, and the
// newest attempt is older than LedgerKeptWhole.
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
// reached the carrier or may have, and who approved and resolved it. It drops earlier attempts, and
// what only explains an order. What is known of a service stays, because a service that is managed
// again is compared with it. It reports whether that changes anything.
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

// summaryOf returns an attempt without what only explains it.
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
