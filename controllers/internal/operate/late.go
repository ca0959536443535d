// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// recordLate handles an acceptance that cannot be recorded for its attempt (R15). A person may have
// ended the attempt, or another attempt may have replaced it; the carrier has accepted the request
// nevertheless. A ledger keeps the acceptance of a chargeable request as a late acceptance.
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
		p.announceLate(scope.Subject, attemptID, receipt, recordedAs(scope.Subject, attemptID, late.Operation))
	}
	return nil
}

// blocks reports whether a late acceptance prevents further requests (R15). One of class Converge
// or Verify does not: sending it twice does no harm, so an Event is enough.
func blocks(operation v1alpha1.Operation) bool {
	return decide.ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

// recordedAs describes what is recorded instead of the acceptance of an attempt.
func recordedAs(subject Subject, attemptID string, operation v1alpha1.Operation) string {
	if taken := attempt(subject, attemptID); taken != nil {
		return fmt.Sprintf("the attempt is recorded as %s", taken.Phase)
	}
	if other := subject.Record().RequestOf(operation); other != nil {
		return fmt.Sprintf("attempt %s is recorded in its place", other.AttemptID)
	}
	return "the attempt is not recorded"
}

// announceLate counts an acceptance that is not recorded for its attempt, and emits a Warning Event
// that says why.
func (p *Protocol) announceLate(subject Subject, attemptID string, receipt carrier.Receipt, why string) {
	operation := receipt.Handle.Operation
	p.Metrics.Late(operation)
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventLate, string(operation),
		"the carrier accepted %s attempt %s as %s, but %s: ask the carrier for the outcome",
		operation, attemptID, receipt.Handle.Path(), why)
}
