// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A 403 or 404 may be about the service: only a cancellation that was read shows that the carrier
// shows the service and refuses the extension.
func TestAnExtensionIsRefusedOnlyForAServiceThatTheCarrierShows(t *testing.T) {
	t.Parallel()
	const answered, failed = decide.ReadingAnswered, decide.ReadingFailed
	for name, row := range map[string]struct {
		service      decide.ReadingState
		status       int
		cancellation decide.ReadingState
		refused      bool
	}{
		"the cancellation was read":    {failed, 404, answered, true},
		"and recorded since":           {failed, 403, decide.ReadingRecorded, true},
		"the cancellation was refused": {failed, 404, failed, false},
		"and was not read":             {failed, 404, decide.ReadingNone, false},
		"the carrier failed":           {failed, 503, answered, false},
		"it was described":             {answered, 404, answered, false},
	} {
		var readings decide.Readings
		readings.Service = decide.Reading{State: row.service, Err: httpError(row.status)}
		readings.Cancellation.State = row.cancellation
		if err := decide.ServiceReadRefused(&readings); (err != nil) != row.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
