// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often, unless GOGC is set. A run produces much garbage and keeps
// little: at the default of 100 the collector takes up to half of the CPU time.
func TestMain(m *testing.M) {
	const percent, limit = 3000, 1 << 30
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
	os.Exit(m.Run())
}
