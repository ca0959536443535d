// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func TestR19AFutureReservationCountsForAnHourAfterItIsFirstSeen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	const booted = 5 * time.Hour // the monotonic time when the reservation was first seen
	for name, test := range map[string]struct {
		ahead, elapsed time.Duration // how far its time is ahead; the monotonic time since first seen
		wall           time.Duration // the time since then by the wall clock
		counts         bool
	}{
		"when first seen": {7 * 24 * time.Hour, 0, 0, true},
		"an hour later":   {7 * 24 * time.Hour, time.Hour, time.Hour, true},
		"first seen more than an hour and 11 s ago": {7 * 24 * time.Hour, time.Hour + 11*time.Second, time.Hour, false},
		"with a clock that was set forward":         {time.Hour, time.Minute, 7 * 24 * time.Hour, true},
		"with a clock that was set back":            {time.Hour, 2 * time.Hour, -time.Hour, false},
		"not in the future, and sent just now":      {0, time.Minute, time.Minute, true},
		"not in the future, and an hour old":        {0, time.Hour + 11*time.Second, time.Hour + 11*time.Second, false},
	} {
		reservations := []v1alpha1.Reservation{{AttemptID: "a-1", At: metav1.NewTime(now.Add(test.ahead))}}
		seen := FutureReservations{}
		report := seen.Add(reservations, now, booted)
		if (report != "") != (test.ahead > 0) {
			t.Errorf("%s: the report is %q", name, report)
		}
		later, elapsed := now.Add(test.wall), booted+test.elapsed
		if again := seen.Add(reservations, later, elapsed); again != "" {
			t.Errorf("%s: it is reported again: %s", name, again)
		}
		counting := Spending{Future: seen, Elapsed: elapsed}.Counting(reservations, later)
		if counts := len(counting) == 1; counts != test.counts {
			t.Errorf("%s: counts is %t", name, counts)
		}
	}
}
