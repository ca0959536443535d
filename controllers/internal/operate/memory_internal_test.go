// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A copy that is older than this process's last write is recognized as stale, however long the
// cache returns it.
func TestACopyIsBehindWhatThisProcessWrote(t *testing.T) {
	t.Parallel()
	written := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	memory := NewMemory("me")
	service := &v1alpha1.BroadbandService{}
	service.UID, service.ResourceVersion = "u", "10"
	memory.Wrote(service, written)
	for _, test := range []struct {
		uid, version string
		after, want  time.Duration
	}{
		{"u", "9", time.Hour, time.Hour},
		{"u", "9", 0, 1},
		{"u", "10", time.Hour, 0},
		{"u", "11", time.Hour, 0},
		{"u", "unknown", time.Hour, 0},
		{"other", "9", time.Hour, 0},
	} {
		shown := &v1alpha1.BroadbandService{}
		shown.UID, shown.ResourceVersion = types.UID(test.uid), test.version
		if got := memory.Behind(shown, written.Add(test.after)); got != test.want {
			t.Errorf("%s %s after %s: %s behind, want %s", test.uid, test.version, test.after, got, test.want)
		}
	}
}
