// SPDX-License-Identifier: Apache-2.0

package prove

import "testing"

// TestOldReadingDoesNotOutliveAReclaim: of two managers that both lead, one holds a reading from
// before a reclaim that the other brings about. It must not be taken for news afterwards.
func TestOldReadingDoesNotOutliveAReclaim(t *testing.T) {
	scheme := stage(t)
	for _, story := range Stories() {
		if story.Asks != "Reclaim" {
			continue
		}
		plan := Plan{Story: story, Managers: 2, Faults: []Fault{{At: 5, Kind: Refused}, {At: 10, Kind: Refused}}}
		if broken := carryOut(t, scheme, plan, &Tally{}).Broken; len(broken) > 0 {
			t.Errorf("%s: %s", plan, broken)
		}
	}
}
