// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// S1 of the review: the process has the response, but the API server is unavailable. The response
// is kept as long as that lasts: the pass retries for 51 s, then the process continues.
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

// expectRecorded expects that the response to the only request is recorded in the end, although it
// could not be written for a while, and that the object becomes ready.
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

// awayAfter makes the API server unavailable for a while after a POST, and counts the failed calls.
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

// records runs passes of the first manager, and every 10 s records responses that no pass could
// record.
func (s *scripted) records(t *testing.T, within time.Duration) {
	t.Helper()
	const every = 10 * time.Second
	for until := now().Add(within); now().Before(until); {
		s.passes(t, s.managers[0], every)
		_ = s.managers[0].reconcilers.Answers.Record(t.Context()) //nolint:errcheck // it is retried
	}
}
