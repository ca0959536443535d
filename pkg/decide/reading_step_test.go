// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A 422 whose sub-errors all end in `.in.progress` is about another request, for every operation:
// also for a price or a health check.
func TestAReadingThatIsRefusedBecauseAnotherRequestIsInProgressIsTriedAgain(t *testing.T) {
	t.Parallel()
	refusal := func(codes ...carrier.SubErrorCode) error {
		err := &carrier.Error{HTTPStatus: 422, Class: carrier.Refused}
		for _, code := range codes {
			err.SubErrors = append(err.SubErrors, carrier.SubError{Code: code})
		}
		return err
	}
	hidden, failing := httpError(404), httpError(503)
	const inProgress, other carrier.SubErrorCode = "constraints.request.in.progress", "constraints.some.rule"
	const often = 100
	for name, row := range map[string]struct {
		err            error
		refused        bool
		first, longest time.Duration
	}{
		"another is in progress":        {refusal(inProgress, inProgress), false, 5 * time.Minute, 30 * time.Minute},
		"another is, and a rule broken": {refusal(inProgress, other), true, decide.Backoff(1), 10 * time.Minute},
		"a rule is broken":              {refusal(other), true, decide.Backoff(1), 10 * time.Minute},
		"it has no sub-error":           {refusal(), true, decide.Backoff(1), 10 * time.Minute},
		"it is not found":               {hidden, true, decide.ForbiddenPause, decide.ForbiddenPause},
		"it fails":                      {failing, false, decide.Backoff(1), decide.Backoff(often)},
	} {
		reading := decide.Reading{State: decide.ReadingFailed, Err: row.err}
		if reading.Refused() != row.refused {
			t.Errorf("%s: it is refused for good: %t, want %t", name, reading.Refused(), row.refused)
		}
		if first := decide.ReadingPause(1, row.err); first != row.first {
			t.Errorf("%s: the first pause is %s, want %s", name, first, row.first)
		}
		if longest := decide.ReadingPause(often, row.err); longest != row.longest {
			t.Errorf("%s: the longest pause is %s, want %s", name, longest, row.longest)
		}
	}
}

// httpError is the error of a response with this status.
func httpError(status int) error {
	class := carrier.Refused
	switch status {
	case 403, 404:
		class = carrier.NotFoundOrForbidden
	case 503:
		class = carrier.ServerFault
	}
	return &carrier.Error{HTTPStatus: status, Class: class}
}

// A reading that failed is tried again after its pause; one that was refused, when it is due again.
func TestARefusedReadingWaitsUntilItIsDueAgain(t *testing.T) {
	t.Parallel()
	now := decidetest.Start().Add(time.Minute)
	later := now.Add(time.Hour)
	for name, row := range map[string]struct {
		status  int
		retryAt time.Time
		due     bool
		step    string
		at      time.Time
	}{
		"failed":                    {503, now, false, "StartReading health", time.Time{}},
		"failed, in its pause":      {503, now.Add(time.Second), false, "Rest", now.Add(time.Second)},
		"refused":                   {422, now, false, "Rest", later},
		"refused, and due":          {422, now, true, "StartReading health", time.Time{}},
		"refused, due in its pause": {422, now.Add(time.Second), true, "Rest", now.Add(time.Second)},
		"not found":                 {404, now, false, "Rest", later},
	} {
		in := decidetest.Input(&v1alpha1.BroadbandService{})
		in.Memory.Readings.Health = decide.Reading{
			State: decide.ReadingFailed, Err: httpError(row.status), RetryAt: row.retryAt,
		}
		step, at := decide.ReadingStep(&in, decide.TopicHealth, "", func() (bool, time.Time) { return row.due, later })
		if got := decidetest.StepName(step); got != row.step || !at.Equal(row.at) {
			t.Errorf("%s: %s, again at %s", name, got, at)
		}
	}
}
