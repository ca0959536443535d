// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// "422 whose every sub-error code ends in `.in.progress` means ... wait and try again (5 to 30 min),
// for every operation": also for a price or a health check.
func TestAReadingThatIsRefusedBecauseAnotherRequestIsInProgressIsTriedAgain(t *testing.T) {
	t.Parallel()
	refusal := func(codes ...carrier.SubErrorCode) error {
		err := &carrier.Error{HTTPStatus: 422, Class: carrier.Refused}
		for _, code := range codes {
			err.SubErrors = append(err.SubErrors, carrier.SubError{Code: code})
		}
		return err
	}
	hidden := &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden}
	failing := &carrier.Error{HTTPStatus: 503, Class: carrier.ServerFault}
	const inProgress, other carrier.SubErrorCode = "constraints.request.in.progress", "constraints.some.rule"
	const often = 100
	for name, row := range map[string]struct {
		err            error
		refused        bool
		first, longest time.Duration
	}{
		"another is in progress":        {refusal(inProgress, inProgress), false, 5 * time.Minute, 30 * time.Minute},
		"another is, and a rule broken": {refusal(inProgress, other), true, decide.Backoff(1), decide.Backoff(often)},
		"a rule is broken":              {refusal(other), true, decide.Backoff(1), decide.Backoff(often)},
		"it has no sub-error":           {refusal(), true, decide.Backoff(1), decide.Backoff(often)},
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
