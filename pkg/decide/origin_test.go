// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// "Another carrier is another identity" (R4), and a response from one is not evidence about the
// other.
func TestStateFromAnotherCarrierOrIdentityIsDropped(t *testing.T) {
	t.Parallel()
	here := decide.Origin{BaseURL: "https://a", Identity: "acme"}
	for name, row := range map[string]struct {
		from    decide.Origin
		forgets bool
	}{
		"the same":         {here, false},
		"another carrier":  {decide.Origin{BaseURL: "https://b", Identity: "acme"}, true},
		"another identity": {decide.Origin{BaseURL: "https://a", Identity: "other"}, true},
		"it does not say":  {decide.Origin{}, true},
	} {
		status := v1alpha1.BroadbandServiceStatus{
			Carrier: &v1alpha1.CarrierState{BaseURL: row.from.BaseURL, Identity: row.from.Identity},
			Health:  &v1alpha1.HealthStatus{}, Disruptions: &v1alpha1.DisruptionStatus{},
		}
		forgot := decide.ForgetStateUnlessFrom(&status, here)
		gone := status.Carrier == nil && status.Health == nil && status.Disruptions == nil
		if forgot != row.forgets || gone != row.forgets {
			t.Errorf("%s: forgotten is %t, and left %+v", name, forgot, status)
		}
		memory := decide.Memory{Origin: row.from}
		memory.Readings.Health.State = decide.ReadingRecorded
		memory.ForgetUnlessFrom(here)
		kept := memory.Readings.Health.State == decide.ReadingRecorded
		if kept != (row.from == here) || memory.Origin != here {
			t.Errorf("%s: the reading is kept: %t", name, kept)
		}
	}
	var none v1alpha1.BroadbandServiceStatus
	decide.RecordOrigin(&none, here)
	if none.Carrier != nil || decide.ForgetStateUnlessFrom(&none, here) {
		t.Error("there is a state of which nothing is known")
	}
}
