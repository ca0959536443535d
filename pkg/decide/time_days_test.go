// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The day of a carrier that writes dates as midnight at its own offset was once converted into another
// day, and a cancellation was moved for it.
func TestTheDayOfADateTime(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		found, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	sydney, lima := zone("Australia/Sydney"), zone("America/Lima")
	for _, row := range []struct {
		text string
		in   *time.Location
		want string
	}{
		{"2026-12-01T00:00:00+11:00", time.UTC, "2026-12-01"},
		{"2026-12-01T00:00:00+1100", time.UTC, "2026-12-01"},
		{"2026-12-01T00:00:00.000+11:00", lima, "2026-12-01"},
		{"2026-12-01T00:00:00+11:00", sydney, "2026-12-01"},
		{"2026-12-01T00:00:00Z", lima, "2026-12-01"},
		{"2026-12-01T00:00:00-05:00", sydney, "2026-12-01"},
		{"2026-11-30T13:00:00Z", sydney, "2026-12-01"},
		{"2026-11-30T13:00:00Z", time.UTC, "2026-11-30"},
		{"2026-12-01T00:00:01+11:00", time.UTC, "2026-11-30"},
		{"2026-12-01T00:00:00.5+11:00", time.UTC, "2026-11-30"},
		{"2026-12-01T09:30:00+11:00", time.UTC, "2026-11-30"},
		{"2026-12-01", lima, "2026-12-01"},
		{"2026-12-01T00:00:00", sydney, "2026-12-01T00:00:00"},
		{"soon", sydney, "soon"},
		{"", sydney, ""},
	} {
		if got := decide.DayOf(row.text, row.in); got != row.want {
			t.Errorf("%q in %s is %q, want %q", row.text, row.in, got, row.want)
		}
	}
}
