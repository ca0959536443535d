// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The status shows the error once several polls in a row have failed.
func TestTheErrorOfAFailedPollIsRememberedUntilAPollSucceeds(t *testing.T) {
	t.Parallel()
	tape := newTape()
	p, service := tape.protocol("me"), tape.record.DeepCopy()
	service.PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", Phase: v1alpha1.PhaseInProgress,
	})
	recalled := func() decide.Attempt {
		return p.Memory.Recall(service.UID, service.OpenRequests(), p.Now()).Attempts["a-1"]
	}
	recalled() // a process polls only what it has seen
	for _, poll := range []struct {
		err      error
		failures int
	}{{errStep, 1}, {errStep, 2}, {nil, 0}} {
		p.notePoll(service, "a-1", 0, poll.err)
		if attempt := recalled(); attempt.Failures != poll.failures || !errors.Is(attempt.PollError, poll.err) {
			t.Errorf("after %v: %d failures, %v", poll.err, attempt.Failures, attempt.PollError)
		}
	}
}

// done is a carrier that answers each poll with 200, and counts the durations that are noted.
type done struct {
	*tape

	noted int
}

func (*done) Poll(context.Context, carrier.Handle) (carrier.Outcome, error) {
	return carrier.Outcome{State: carrier.Done}, nil
}

func (d *done) Took(carrier.Operation, time.Duration, time.Duration) { d.noted++ }

// A 200 can say that the request is still in progress. As its end, it would count once for each poll.
func TestOnlyAnEndShowsHowLongARequestTook(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		finish Finish
		sender string
		noted  int
	}{
		"it has ended": {func(*v1alpha1.Request, []byte) {}, "me", 1},
		"it is in progress": {func(request *v1alpha1.Request, _ []byte) {
			request.Phase = v1alpha1.PhaseInProgress
		}, "me", 0},
		"it was sent by an earlier process": {func(*v1alpha1.Request, []byte) {}, "another", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tape := newTape()
			tape.record.PutRequest(v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, APIVersion: 8, AttemptID: "a-1", Sender: test.sender,
				Phase:    v1alpha1.PhaseInProgress,
				Location: carrier.Handle{Operation: carrier.PlanChange, Version: 8, ID: "77"}.Path(),
			})
			p, to := tape.protocol("me"), &done{tape: tape}
			scope := tape.scope()
			scope.Carrier = to
			p.Memory.Recall(tape.record.UID, scope.Subject.Record().OpenRequests(), p.Now())
			if _, err := p.Poll(t.Context(), scope, "a-1", test.finish); err != nil {
				t.Fatal(err)
			}
			if to.noted != test.noted {
				t.Errorf("noted are %d durations, want %d", to.noted, test.noted)
			}
		})
	}
}
