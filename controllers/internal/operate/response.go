// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

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
