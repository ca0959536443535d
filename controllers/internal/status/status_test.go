// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
)

// A result without a delay is one without another pass.
func TestAPassThatIsDueNowIsMade(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	for at, again := range map[time.Time]bool{
		{}: false, now.Add(-time.Minute): true, now: true, now.Add(time.Minute): true,
	} {
		if result := status.Exit(now, at); (result.RequeueAfter > 0) != again {
			t.Errorf("at %s, a pass that is due at %s is made after %s", now, at, result.RequeueAfter)
		}
	}
}
