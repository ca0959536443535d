// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"cmp"
	"context"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// pollCandidate polls the Location of a response that did not show that the carrier had accepted the
// request. If the carrier shows a request there, whatever has become of it, it has accepted it, and
// this may be how it ended. Anything else proves nothing: the carrier may not know the request yet.
func (p *Protocol) pollCandidate(ctx context.Context, scope Scope, request *v1alpha1.Request, finish Finish) error {
	attemptID := request.AttemptID
	handle, err := decide.CandidateOf(request)
	if err != nil {
		return fmt.Errorf("poll the Location of attempt %s: %w", attemptID, err)
	}
	outcome, err := scope.Carrier.Poll(ctx, handle)
	seen := p.notePoll(scope.Subject, attemptID, outcome.RetryAfter, err)
	if err != nil {
		return nil //nolint:nilerr // remembered by notePoll, which counts the polls
	}
	accepted := acceptedAs(handle)
	accepted.By = decide.WriterPoll
	if err := p.Record(ctx, scope, attemptID, accepted); err != nil || outcome.State == carrier.Pending {
		return err
	}
	request = attempt(scope.Subject, attemptID)
	if request == nil || request.Phase != v1alpha1.PhaseInProgress {
		return nil // a person has resolved it meanwhile
	}
	return p.recordEnd(ctx, scope, request, p.pollFact(scope.Subject, request, outcome, nil, finish), seen)
}

// ofItsOwn makes a receipt inconclusive if it names the Location of another attempt, which a carrier
// that recognizes duplicates may return: the response then does not show what became of this one.
func ofItsOwn(ledger *requestledger.Ledger, request *v1alpha1.Request, receipt carrier.Receipt) carrier.Receipt {
	path := cmp.Or(receipt.Handle.Path(), receipt.Candidate.Path())
	if ledger == nil || path == "" || !decide.TakesRequestID(request.Operation) {
		return receipt
	}
	other := ledger.OtherAttemptAt(request, path)
	if other == "" {
		return receipt
	}
	contract, _ := carrier.ContractOf(carrier.Operation(request.Operation))
	failure := &carrier.Error{
		Operation: contract.Operation, Target: "POST " + contract.SubmitPath, Class: carrier.Unreadable,
		HTTPStatus: contract.Success,
		Message: fmt.Sprintf("the response names %s, which is the Location of attempt %s, so it does not show whether the "+
			"carrier has accepted this one", path, other),
	}
	if receipt.Err != nil {
		failure.HTTPStatus = receipt.Err.HTTPStatus
	}
	return carrier.Receipt{Delivery: carrier.Ambiguous, Err: failure, RetryAfter: receipt.RetryAfter}
}
