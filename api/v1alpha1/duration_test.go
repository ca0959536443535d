// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The numbers in parentheses are those of the cases in docs/security-cases.md.

// unruly are durations that the schema refuses. An object that was stored before a rule existed may
// contain one.
func unruly() []string {
	return []string{"1h1", "-5m", "", "9999999h", "5", "soon", "1e9s", "\u0660s", "5m "}
}

// TestDurationsThatNoSchemaSawStopNoList (59): the other objects of the list are read.
func TestDurationsThatNoSchemaSawStopNoList(t *testing.T) {
	t.Parallel()
	for _, written := range unruly() {
		list := `{"items":[{"spec":{"observe":{"healthInterval":` + strconv.Quote(written) + `}}},{}]}`
		var services v1alpha1.BroadbandServiceList
		if err := json.Unmarshal([]byte(list), &services); err != nil || len(services.Items) != 2 {
			t.Errorf("%q keeps the list from being read: %v", written, err)
		}
	}
}

// TestDurationsThatNoSchemaSawAreNotSet (59).
func TestDurationsThatNoSchemaSawAreNotSet(t *testing.T) {
	t.Parallel()
	for _, written := range unruly() {
		if got := v1alpha1.Duration(written).Or(time.Hour); got != time.Hour {
			t.Errorf("%q is %s, and not what is taken where nothing is set", written, got)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for written, want := range map[v1alpha1.Duration]time.Duration{"0": 0, "1h30m": 90 * time.Minute} {
		if got := written.Or(time.Hour); got != want {
			t.Errorf("%q is %s, want %s", written, got, want)
		}
	}
}
