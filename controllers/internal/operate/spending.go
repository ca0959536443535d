// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// reserve makes a reservation per attempt id in the login's ledger before the intent. A
// process that is shut down waits for the response, so that the reservation can be released.
func (p *Protocol) reserve(ctx context.Context, scope Scope, submission Submission) (time.Duration, error) {
	if scope.Spending == nil || !submission.Class.Costly() {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateAfter)
	defer cancel()
	wait, err := scope.Spending.Reserve(ctx, submission.Request)
	if err != nil && !apierrors.IsConflict(err) { // it may have been written nevertheless
		p.release(ctx, scope, submission)
	}
	return wait, err
}

// release removes the reservation of an attempt that has no intent and will not be sent.
func (*Protocol) release(ctx context.Context, scope Scope, submission Submission) {
	if scope.Spending == nil || !submission.Class.Costly() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateAfter)
	defer cancel()
	scope.Spending.Release(ctx, submission.Request.AttemptID)
}

// releaseUnsent removes the reservation of an attempt if it is recorded as not having reached the
// carrier.
func (*Protocol) releaseUnsent(ctx context.Context, scope Scope, attemptID string) {
	request := attempt(scope.Subject, attemptID)
	if scope.Spending == nil || request == nil || !decide.ReleasesReservation(request) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, gateAfter)
	defer cancel()
	scope.Spending.Release(ctx, attemptID)
}
