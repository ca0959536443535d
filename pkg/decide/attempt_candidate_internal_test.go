// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A candidate is polled as the request would be, a limited number of times, and is then named to the
// person who is asked.
func TestACandidateIsPolledBeforeAPersonIsAsked(t *testing.T) {
	t.Parallel()
	const conversion, order = "/api/connect/services/aggregation-conversions/requests/77", "/api/connect/orders/77"
	for name, test := range map[string]struct {
		operation v1alpha1.Operation
		candidate string
		polls     int
		polled    bool
	}{
		"a candidate":              {v1alpha1.OperationAggregationConversion, conversion, 0, true},
		"one poll is left":         {v1alpha1.OperationAggregationConversion, conversion, maxCandidatePolls - 1, true},
		"no poll is left":          {v1alpha1.OperationAggregationConversion, conversion, maxCandidatePolls, false},
		"no candidate":             {v1alpha1.OperationAggregationConversion, "", 0, false},
		"no call to poll an order": {v1alpha1.OperationOrderCreate, order, 0, false},
	} {
		service := &v1alpha1.BroadbandService{}
		open := &v1alpha1.Request{
			Operation: test.operation, AttemptID: "a-1", Phase: v1alpha1.PhaseSubmitting, Candidate: test.candidate,
			SubmittedAt: metav1.NewTime(noon), Error: &v1alpha1.RequestError{HTTPStatus: 202, Message: "no proof"},
		}
		in := &Input{Subject: service, Now: noon.Add(time.Hour), Memory: Memory{Attempts: map[string]Attempt{
			"a-1": {LastPoll: noon, Polls: test.polls},
		}}}
		decision := candidatePolled(in, open)
		if (decision != nil) != test.polled {
			t.Errorf("%s: %+v", name, decision)
		}
		if decision != nil {
			if _, ok := decision.Step.(Poll); !ok || !strings.Contains(decision.Verdict.Message, test.candidate) {
				t.Errorf("%s: %+v", name, decision)
			}
		}
		if message := UnknownVerdict(in, open).Message; !strings.Contains(message, test.candidate) {
			t.Errorf("%s: a person does not see it: %s", name, message)
		}
	}
}

// A poll may show that a request was accepted only at a candidate of it, and nothing else about it.
func TestAPollOfACandidateMayOnlyShowAcceptance(t *testing.T) {
	t.Parallel()
	for _, to := range []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseRejected,
	} {
		for candidate, want := range map[string]bool{"/x": to == v1alpha1.PhaseInProgress, "": false} {
			attempt := &v1alpha1.Request{Phase: v1alpha1.PhaseSubmitting, Candidate: candidate}
			if got := MayBecome(attempt, WriterPoll, to); got != want {
				t.Errorf("a poll of %q may set %s: %t", candidate, to, got)
			}
		}
	}
}
