// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// TestOldReadingDoesNotOutliveAReclaim: of two managers that both lead, one holds a reading from
// before a reclaim that the other brings about. It must not be taken for news afterwards.
func TestOldReadingDoesNotOutliveAReclaim(t *testing.T) {
	holds(t, "Reclaim", 2, Fault{At: 5, Kind: Refused}, Fault{At: 10, Kind: Refused})
}

// TestDeletedAppointmentGoesAlthoughItsNamespaceCannotBeRead: the look that tells whether the
// namespace is going fails twice, and then the token is over.
func TestDeletedAppointmentGoesAlthoughItsNamespaceCannotBeRead(t *testing.T) {
	holds(t, "AppointmentCancel", 1, Fault{At: 11, Kind: Refused}, Fault{At: 12, Kind: Refused})
}

// holds carries a plan out for an operation, and expects that everything holds.
func holds(t *testing.T, asks v1alpha1.Operation, managers int, faults ...Fault) {
	t.Helper()
	scheme := stage(t)
	for _, story := range Stories() {
		if story.Asks != asks {
			continue
		}
		plan := Plan{Story: story, Managers: managers, Faults: faults}
		if broken := carryOut(t, scheme, plan, &Tally{}).Broken; len(broken) > 0 {
			t.Errorf("%s: %s", plan, broken)
		}
	}
}
