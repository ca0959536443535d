// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// S1 of the review: the process has the response, but the API server is unavailable. The response
// is kept as long as the outage lasts: the pass retries for 51 s, and after that the process keeps
// trying to record it.
func TestR16ResponseSurvivesAnUnavailableAPIServer(t *testing.T) {
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
				runScript(t, sends.operation, 1, func(t *testing.T, s *scriptedRun) {
					t.Helper()
					attempts := s.stopAPIServerAfter(sends.path, away)
					s.runAndRecord(t, away+time.Minute)
					s.expectRecorded(t, sends.operation, *attempts)
				})
			})
		}
	}
}

// expectRecorded expects that the response to the only request is recorded in the end, although it
// could not be written for a while, and that the object becomes ready.
func (s *scriptedRun) expectRecorded(t *testing.T, operation v1alpha1.Operation, attempts int) {
	t.Helper()
	request := s.subject().Record().RequestOf(operation)
	if attempts < 3 || request == nil || request.Location == "" || request.AttemptID != s.sent[len(s.sent)-1].attempt {
		t.Errorf("after %d attempts the recorded request is %+v", attempts, request)
	}
	s.drive(t.Context())
	if _, ready, _ := stateOf(s.subject()); !ready || s.posted(operation) != 1 {
		t.Errorf("%d were sent, and the object is ready: %t", s.posted(operation), ready)
	}
}

// stopAPIServerAfter makes the API server unavailable for a while after a POST, and counts the
// failed calls.
func (s *scriptedRun) stopAPIServerAfter(path string, long time.Duration) *int {
	until, attempts := time.Time{}, 0
	s.faultAt = func(effect Effect) FaultKind {
		if until.IsZero() && strings.HasPrefix(effect.What, path) {
			until = now().Add(long)
			return noFault
		}
		if now().Before(until) && (effect.Op == Write || effect.Op == Read) {
			attempts++
			return Refused
		}
		return noFault
	}
	return &attempts
}

// runAndRecord runs passes of the first manager, and every 10 s records responses that no pass
// could record.
func (s *scriptedRun) runAndRecord(t *testing.T, within time.Duration) {
	t.Helper()
	const every = 10 * time.Second
	for until := now().Add(within); now().Before(until); {
		s.runFor(t, s.managers[0], every)
		_ = s.managers[0].reconcilers.Unrecorded.Record(t.Context()) //nolint:errcheck // it is retried
	}
}
