// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"errors"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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
