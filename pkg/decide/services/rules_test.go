// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// A 404 for the Location of a query shows that the carrier has lost the query.
func TestOnlyA404ForTheServiceHidesIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		handle carrier.Handle
		state  decide.State
	}{{carrier.Handle{}, decide.Stuck}, {carrier.Handle{ID: "77"}, decide.Settled}} {
		view := settled(func(in *services.Input) {
			in.Memory.Readings.Health = decide.Reading{
				State: decide.ReadingFailed, RequestedAt: in.Now, Handle: test.handle,
				Err: &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden},
			}
		})
		if said := services.Decide(view).Verdict; said.State != test.state {
			t.Errorf("with the Location %q it is %s: %s", test.handle.ID, said.State, said.Message)
		}
	}
}

// A reading made within the second in which a request ended shows nothing about the time after it.
// So a new process waits for the next reading, and writes nothing meanwhile.
func TestNothingIsWrittenForAReadingThatIsAboutToStart(t *testing.T) {
	t.Parallel()
	reclaimed := with(v1alpha1.PhaseSucceeded, func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationReclaim, v1alpha1.RequestTarget{}
	})
	view := settled(reclaimed, at(0))
	view.Service.Status.Carrier.Cancellation = nil
	decision := services.Decide(view)
	if _, rests := decision.Step.(decide.Rest); !rests || decision.Verdict.Reason != v1alpha1.ReasonProgressing {
		t.Fatalf("it does %T and says %s: %s", decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
	}
	if !decision.Transient || decision.RequeueAt.IsZero() {
		t.Errorf("brief: %v, and it is looked at again at %s", decision.Transient, decision.RequeueAt)
	}
}
