// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// S1 of the review: the answer is in the hand, and the API server is away. It is kept for as long as
// that takes: the pass itself tries for 51 s, and then the process does.
func TestR16AnAPIServerThatIsAwayCostsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, sends := range []struct {
		operation v1alpha1.Operation
		path      string
	}{
		{ordering, "POST /api/connect/orders"},
		{changing, "POST /api/connect/services/plan-changes"},
		{converting, "POST /api/connect/services/aggregation-conversions"},
		{v1alpha1.OperationDiagnosticTest, "POST /api/connect/services/diagnostic-tests"},
	} {
		for _, away := range []time.Duration{20 * time.Second, 3 * time.Minute} {
			t.Run(string(sends.operation)+" "+away.String(), func(t *testing.T) {
				t.Parallel()
				script(t, sends.operation, 1, func(t *testing.T, s *scripted) {
					t.Helper()
					tried := s.awayAfter(sends.path, away)
					s.records(t, away+time.Minute)
					s.expectRecorded(t, sends.operation, *tried)
				})
			})
		}
	}
}

// expectRecorded expects that the answer to the one request is on record, although it could not be
// written for a while, and that the object is ready in the end.
func (s *scripted) expectRecorded(t *testing.T, operation v1alpha1.Operation, tried int) {
	t.Helper()
	request := s.subject().RequestOf(operation)
	if tried < 3 || request == nil || request.Location == "" || request.AttemptID != s.sent[len(s.sent)-1].attempt {
		t.Errorf("after %d tries on record is %+v", tried, request)
	}
	s.drive(t.Context())
	if _, ready, _ := stateOf(s.subject()); !ready || s.posted(operation) != 1 {
		t.Errorf("%d were sent, and the object is ready: %t", s.posted(operation), ready)
	}
}

// awayAfter has the API server be away for a while once a POST is out, and counts what is tried then.
func (s *scripted) awayAfter(path string, long time.Duration) *int {
	until, tried := time.Time{}, 0
	s.at = func(effect Effect) Kind {
		if until.IsZero() && strings.HasPrefix(effect.What, path) {
			until = now().Add(long)
			return nothing
		}
		if now().Before(until) && (effect.Sort == Write || effect.Sort == Read) {
			tried++
			return Refused
		}
		return nothing
	}
	return &tried
}

// records has the first manager take its passes, and record what no pass could, every 10 s as it does.
func (s *scripted) records(t *testing.T, within time.Duration) {
	t.Helper()
	const every = 10 * time.Second
	for until := now().Add(within); now().Before(until); {
		s.passes(t, s.managers[0], every)
		_ = s.managers[0].reconcilers.Answers.Record(t.Context()) //nolint:errcheck // it is tried again
	}
}
