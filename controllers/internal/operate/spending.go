// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Spending has what the accounts of an identity spend on record.
type Spending interface {
	// Reserve counts an attempt before its intent is written. A wait above zero says that there is
	// no room for it.
	Reserve(ctx context.Context, attempt v1alpha1.Request) (wait time.Duration, err error)
	// Release takes back that an attempt counts, if it does. One that cannot be taken back counts
	// for an hour.
	Release(ctx context.Context, attemptID string)
}

// reserve makes "a reservation per attempt id in the identity's ledger before the intent" (R10). A
// process that is told to stop waits for the answer, so that the reservation can be taken back.
func (p *Protocol) reserve(ctx context.Context, scope Scope, submission Submission) (time.Duration, error) {
	if scope.Spending == nil || !submission.Class.Costly() {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateAfter)
	defer cancel()
	wait, err := scope.Spending.Reserve(ctx, submission.Request)
	if err != nil && !apierrors.IsConflict(err) { // it may have been written all the same
		p.release(ctx, scope, submission)
	}
	return wait, err
}

// release takes a reservation back whose attempt has no intent that anybody will send.
func (*Protocol) release(ctx context.Context, scope Scope, submission Submission) {
	if scope.Spending == nil || !submission.Class.Costly() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateAfter)
	defer cancel()
	scope.Spending.Release(ctx, submission.Request.AttemptID)
}

// releaseUnsent takes the reservation back of an attempt that is on record as one that did not reach
// the carrier.
func (*Protocol) releaseUnsent(ctx context.Context, scope Scope, attemptID string) {
	request := attempt(scope.Subject, attemptID)
	if scope.Spending == nil || request == nil || !decide.GivesBack(request) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, gateAfter)
	defer cancel()
	scope.Spending.Release(ctx, attemptID)
}
