// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// RecordResponse is step 7: it records the response that this process has in memory.
func (p *Protocol) RecordResponse(ctx context.Context, scope Scope, attemptID string) error {
	err := p.recordResponse(ctx, scope, attemptID)
	if err != nil {
		return errors.Join(err, p.keepUnrecorded(ctx, scope, attemptID, err))
	}
	p.unrecorded.drop(attemptID)
	return nil
}

func (p *Protocol) recordResponse(ctx context.Context, scope Scope, attemptID string) error {
	receipt := p.Memory.Receipt(attemptID)
	if receipt == nil {
		return nil
	}
	if err := p.Record(ctx, scope, attemptID, finished(*receipt, scope.Finish)); err != nil {
		return err
	}
	if err := p.recordLate(ctx, scope, attemptID, *receipt); err != nil {
		return err
	}
	p.Memory.Recorded(attemptID, p.Now())
	p.warnOfLocation(scope.Subject, *receipt)
	p.Memory.Note(scope.Subject.GetUID(), p.Now(), restUntil(p.Now().Add(receipt.RetryAfter)))
	return nil
}

// recordLate handles an acceptance that cannot be recorded for its attempt: "An Accepted receipt is
// never dropped" (R15). A person may have ended the attempt, or another attempt may have replaced
// it; the carrier has accepted the request nevertheless. A ledger keeps it as a late acceptance.
func (p *Protocol) recordLate(ctx context.Context, scope Scope, attemptID string, receipt carrier.Receipt) error {
	taken := attempt(scope.Subject, attemptID)
	if receipt.Delivery != carrier.Accepted || taken != nil && taken.Location == receipt.Handle.Path() {
		return nil
	}
	news := true
	late := lateAttempt(attemptID, receipt.Handle)
	late.FinishedAt = v1alpha1.WholeSeconds(p.Now()) // since when the outcome is unknown
	if scope.Ledger != nil && blocks(late.Operation) {
		err := p.retryWrite(ctx, scope, attemptID, func(ctx context.Context) (err error) {
			news, err = scope.Ledger.Late(ctx, late)
			return err
		})
		if err != nil {
			return err
		}
	}
	if news {
		p.Metrics.countLate(receipt.Handle.Operation)
		p.warnOfLate(scope.Subject, attemptID, receipt)
	}
	return nil
}

// blocks reports whether a late acceptance prevents further requests: "Converge and Verify: noted
// with an Event, nothing stalls" (R15).
func blocks(operation v1alpha1.Operation) bool {
	return decide.ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

func (p *Protocol) warnOfLate(subject Subject, attemptID string, receipt carrier.Receipt) {
	taken, location := attempt(subject, attemptID), receipt.Handle.Path()
	recorded := "it is not recorded"
	if taken != nil {
		recorded = fmt.Sprintf("it is recorded as %s", taken.Phase)
	} else if other := subject.RequestOf(v1alpha1.Operation(receipt.Handle.Operation)); other != nil {
		recorded = fmt.Sprintf("attempt %s is recorded in its place", other.AttemptID)
	}
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventLate, string(receipt.Handle.Operation),
		"the carrier accepted %s attempt %s as %s, and %s: ask the carrier for its outcome",
		receipt.Handle.Operation, attemptID, location, recorded)
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

// keepUnrecorded keeps a response that could not be recorded, reports it once, and shows an
// acceptance in the status. Objects without a ledger do not need this: they have a finalizer, and
// later passes try again.
func (p *Protocol) keepUnrecorded(ctx context.Context, scope Scope, attemptID string, why error) error {
	receipt := p.Memory.Receipt(attemptID)
	if scope.Ledger == nil || receipt == nil {
		return nil
	}
	if p.unrecorded.keep(attemptID, scope) {
		p.warnOfUnrecorded(scope.Subject, attemptID, receipt, why)
	}
	if receipt.Delivery != carrier.Accepted {
		return nil
	}
	return p.showReceipt(ctx, scope, attemptID, receipt.Handle)
}

func (p *Protocol) warnOfUnrecorded(subject Subject, attemptID string, receipt *carrier.Receipt, why error) {
	operation := v1alpha1.Operation(receipt.Handle.Operation) // set for accepted responses only
	if known := attempt(subject, attemptID); known != nil {
		operation = known.Operation
	}
	p.Metrics.countUnrecorded(operation)
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventUnrecorded, "Record",
		"the carrier's response to attempt %s (%s %s %s) cannot be recorded; retried until this process ends: %v",
		attemptID, receipt.Delivery, operation, receipt.Handle.Path(), why)
}

// RecordUnrecorded tries again to record each response that could not be recorded: "The process
// retries each receipt until it is written or the process ends, whatever became of the object"
// (R16).
func (p *Protocol) RecordUnrecorded(ctx context.Context) error {
	var failed error
	for attemptID, scope := range p.unrecorded.all() {
		err := scope.Ledger.Reload(ctx) // the object has the response already, and there would seem to be nothing to write
		if err == nil {
			err = p.RecordResponse(ctx, scope, attemptID)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
