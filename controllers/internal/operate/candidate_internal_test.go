// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// shows is a carrier that answers each poll in one way.
type shows struct {
	*tape

	outcome carrier.Outcome
	err     error
}

func (s shows) Poll(context.Context, carrier.Handle) (carrier.Outcome, error) {
	return s.outcome, s.err
}

// What the carrier shows at a candidate proves that it has accepted the request. No error does.
func TestACandidateProvesWhatTheCarrierShowsThere(t *testing.T) {
	t.Parallel()
	const path = "/api/connect/services/plan-changes/requests/77"
	notFound := &carrier.Error{Class: carrier.NotFoundOrForbidden, HTTPStatus: 404}
	for name, test := range map[string]struct {
		outcome carrier.Outcome
		err     error
		want    v1alpha1.RequestPhase
	}{
		"202": {carrier.Outcome{State: carrier.Pending}, nil, v1alpha1.PhaseInProgress},
		"200": {carrier.Outcome{State: carrier.Done}, nil, v1alpha1.PhaseSucceeded},
		"422": {carrier.Outcome{State: carrier.Failed}, nil, v1alpha1.PhaseFailed},
		"404": {carrier.Outcome{}, notFound, v1alpha1.PhaseSubmitting},
	} {
		tape := newTape()
		p, scope := tape.protocol("me"), tape.scope()
		request := v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", Phase: v1alpha1.PhaseSubmitting, APIVersion: 8,
			Error: &v1alpha1.RequestError{HTTPStatus: 202}, Candidate: path,
		}
		scope.Subject.Record().PutRequest(request)
		scope.Carrier = shows{tape, test.outcome, test.err}
		p.Memory.Recall(scope.Subject.GetUID(), serviceIn(scope.Subject).OpenRequests(), p.Now())
		tape.record = serviceIn(scope.Subject).DeepCopy()
		if _, err := p.Poll(t.Context(), scope, "a-1", func(*v1alpha1.Request, []byte) {}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := scope.Subject.Record().RequestOf(v1alpha1.OperationPlanChange)
		proven := got.Location == path && got.Candidate == ""
		if got.Phase != test.want || proven != (test.err == nil) {
			t.Errorf("%s: %s at %q, candidate %q; want %s", name, got.Phase, got.Location, got.Candidate, test.want)
		}
	}
}

// A Location that another attempt of the ledger has is neither a handle nor a candidate, unless the
// carrier gives the requests of the operation no ids of their own.
func TestALocationOfAnotherAttemptIsNone(t *testing.T) {
	t.Parallel()
	const converting, altering = v1alpha1.OperationAggregationConversion, v1alpha1.OperationCancellationReschedule
	handle := func(operation v1alpha1.Operation) carrier.Handle {
		return carrier.Handle{Operation: carrier.Operation(operation), Version: 8, ID: "77"}
	}
	ledger := func(operation v1alpha1.Operation) *requestledger.Ledger {
		tape := newTape()
		of := tape.ledgerOf(t.Context(), tape.record)
		tape.recordIn(of, v1alpha1.Request{
			AttemptID: "a-0", Operation: operation, Location: handle(operation).Path(), Phase: v1alpha1.PhaseInProgress,
		})
		return tape.ledgerOf(t.Context(), tape.record)
	}
	accepted := func(operation v1alpha1.Operation) carrier.Receipt {
		return carrier.Receipt{Delivery: carrier.Accepted, Handle: handle(operation)}
	}
	for name, test := range map[string]struct {
		others    *requestledger.Ledger
		operation v1alpha1.Operation
		receipt   carrier.Receipt
		taken     bool
	}{
		"another attempt's":   {ledger(converting), converting, accepted(converting), true},
		"nobody's":            {nil, converting, accepted(converting), false},
		"another operation's": {ledger(v1alpha1.OperationPlanChange), converting, accepted(converting), false},
		"the service's own":   {ledger(altering), altering, accepted(altering), false},
		"a candidate": {ledger(converting), converting, carrier.Receipt{
			Delivery: carrier.Ambiguous, Candidate: handle(converting), Err: &carrier.Error{HTTPStatus: 502},
		}, true},
	} {
		request := &v1alpha1.Request{Operation: test.operation, AttemptID: "a-1"}
		got := ofItsOwn(test.others, request, test.receipt)
		inconclusive := got.Delivery == carrier.Ambiguous && got.Handle.IsZero() && got.Candidate.IsZero()
		if inconclusive != test.taken {
			t.Errorf("%s: %+v", name, got)
		}
		if test.taken && !strings.Contains(decide.ErrorText(got.Err), "the Location of attempt a-0") {
			t.Errorf("%s: %v", name, got.Err)
		}
	}
}
