// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// RecordResponse is step 7: it records the response that this process has in memory. A pass without
// the ledger of the attempt leaves the response to [Protocol.RecordUnrecorded].
func (p *Protocol) RecordResponse(ctx context.Context, scope Scope, attemptID string) error {
	if scope.Ledger == nil && p.unrecorded.has(attemptID) {
		return nil
	}
	err := p.recordResponse(ctx, scope, attemptID)
	if err != nil {
		return errors.Join(err, p.keepUnrecorded(ctx, scope, attemptID, err))
	}
	if operation, kept := p.unrecorded.drop(attemptID); kept {
		p.Metrics.Released(operation)
	}
	return nil
}

func (p *Protocol) recordResponse(ctx context.Context, scope Scope, attemptID string) error {
	receipt := p.Memory.Receipt(attemptID)
	if receipt == nil {
		return nil
	}
	if err := p.Record(ctx, scope, attemptID, finished(*receipt, scope)); err != nil {
		if errors.Is(err, ErrGone) {
			p.Memory.Recorded(attemptID, p.Now()) // no later attempt to record it can succeed
		}
		return err
	}
	if err := p.recordLate(ctx, scope, attemptID, *receipt); err != nil {
		return err
	}
	p.Memory.Recorded(attemptID, p.Now())
	p.warnOfLocation(scope.Subject, *receipt)
	p.Memory.Change(scope.Subject.GetUID(), p.Now(), restUntil(p.Now().Add(receipt.RetryAfter)))
	return nil
}

// warnOfLocation emits a Warning Event about an unexpected Location in an accepted response. A
// Location that names another host means that something between the operator and the carrier
// rewrites addresses.
func (p *Protocol) warnOfLocation(subject Subject, receipt carrier.Receipt) {
	if receipt.Delivery == carrier.Accepted && receipt.Note != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventOddLocation,
			string(receipt.Handle.Operation), "%s", receipt.Note)
	}
}

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
	live.Record().PutRequest(shown)
	live.Record().RequestChanged(shown, v1alpha1.WholeSeconds(p.Now()))
	scope.Ledger.SetReference(live)
	if err := p.WriteStatus(ctx, live); err != nil {
		return fmt.Errorf("show the response to attempt %s in the status: %w", attemptID, err)
	}
	return nil
}

// readLive reads an object, bypassing the cache, and reports whether it still exists: it may be
// deleted, or another object may have its name.
func (p *Protocol) readLive(ctx context.Context, subject Subject) (live Subject, there bool, err error) {
	live = apiserver.Empty(subject)
	err = p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live)
	if err != nil && !apiserver.IsGone(err, subject.GetName()) {
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
