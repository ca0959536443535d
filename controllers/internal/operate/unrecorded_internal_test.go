// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// unrecordedScope is a scope whose attempt the carrier has accepted, which is not recorded yet.
func (t *tape) unrecordedScope(ctx context.Context, protocol *Protocol) Scope {
	subject := t.record.DeepCopy()
	subject.Record().PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", Phase: v1alpha1.PhaseSubmitting,
	})
	t.recordIn(t.ledgerOf(ctx, subject), subject.Status.Requests[0])
	scope := t.scope()
	scope.Subject, scope.Ledger = subject, t.ledgerOf(ctx, subject)
	protocol.Memory.Posting("a-1", t.now)
	protocol.Memory.SetReceipt("a-1", carrier.Receipt{
		Delivery: carrier.Accepted, Handle: carrier.Handle{Operation: carrier.PlanChange, Version: 8, ID: "77"},
	})
	return scope
}

// RecordUnrecorded changes the object and the ledger of what is kept, in another goroutine. A pass
// that still used them could panic, and lose the response with the process.
func TestR16AResponseIsKeptWhenThePassNoLongerUsesItsObject(t *testing.T) {
	t.Parallel()
	tape := newTape()
	protocol := tape.protocol("me")
	scope := tape.unrecordedScope(t.Context(), protocol)
	tape.at[stepObject] = func() error { return protocol.RecordUnrecorded(t.Context()) }

	if err := protocol.keepUnrecorded(t.Context(), scope, "a-1", errStep); err != nil {
		t.Fatal(err)
	}

	if slices.Contains(tape.steps, stepLedger) || !slices.Contains(tape.steps, stepAccepted) {
		t.Errorf("%v: the object was changed while the receipt was shown", tape.steps)
	}
	if !protocol.unrecorded.has("a-1") {
		t.Error("the response is not kept")
	}
}
