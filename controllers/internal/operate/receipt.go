// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// showWithin is the time limit for writing a receipt to a status after the ledger write failed.
const showWithin = 5 * time.Second

// showReceipt writes the receipt to the object's status, because the ledger has refused it or is
// gone (R16). The status then shows more than the ledger. If this process ends before the ledger
// has the receipt, the result is LedgerLost (R5).
func (p *Protocol) showReceipt(ctx context.Context, scope Scope, attemptID string, handle carrier.Handle) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showWithin)
	defer cancel()
	live, there, err := p.readLive(ctx, scope.Subject)
	if !there {
		return err
	}
	if seen := attempt(live, attemptID); seen != nil && seen.Location == handle.Path() {
		return nil
	}
	shown := withReceipt(attempt(scope.Subject, attemptID), attemptID, handle)
	live.PutRequest(shown)
	live.RequestChanged(shown, v1alpha1.WholeSeconds(p.Now()))
	scope.Ledger.SetReference(live)
	if err := p.WriteStatus(ctx, live); err != nil {
		return fmt.Errorf("show the response to attempt %s in the status: %w", attemptID, err)
	}
	return nil
}

// readLive reads an object, bypassing the cache, and reports whether it still exists: it may be
// deleted, or another object may have its name.
func (p *Protocol) readLive(ctx context.Context, subject Subject) (live Subject, there bool, err error) {
	live = Empty(subject)
	err = p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live)
	if err != nil && !IsGone(err, subject.GetName()) {
		return nil, false, fmt.Errorf("read %s, bypassing the cache: %w", subject.GetName(), err)
	}
	return live, err == nil && live.GetUID() == subject.GetUID(), nil
}

// withReceipt adds the handle of an accepted attempt to what is known of the attempt; known is nil
// if nothing is known.
func withReceipt(known *v1alpha1.Request, attemptID string, handle carrier.Handle) v1alpha1.Request {
	if known == nil {
		late := lateAttempt(attemptID, handle)
		late.Phase = v1alpha1.PhaseLateAcceptance
		return late
	}
	shown := *known.DeepCopy()
	shown.Location = handle.Path()
	if shown.Phase == v1alpha1.PhaseSubmitting || shown.Phase == v1alpha1.PhaseOutcomeUnknown {
		acceptedAs(handle).Apply(nil, &shown)
	}
	return shown
}
