// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A response to one login is not evidence about another.
func TestStateOfAnotherLoginIsDropped(t *testing.T) {
	t.Parallel()
	here := v1alpha1.CarrierLogin{BaseURL: "https://a", ClientName: "acme"}
	for name, row := range map[string]struct {
		from    v1alpha1.CarrierLogin
		forgets bool
	}{
		"the same":        {here, false},
		"another carrier": {v1alpha1.CarrierLogin{BaseURL: "https://b", ClientName: "acme"}, true},
		"another client":  {v1alpha1.CarrierLogin{BaseURL: "https://a", ClientName: "other"}, true},
		"it does not say": {v1alpha1.CarrierLogin{}, true},
	} {
		status := v1alpha1.BroadbandServiceStatus{
			Carrier: &v1alpha1.CarrierState{Login: row.from},
			Health:  &v1alpha1.HealthStatus{}, Disruptions: &v1alpha1.DisruptionStatus{},
		}
		forgot := decide.ForgetStateUnlessFrom(&status, here)
		gone := status.Carrier == nil && status.Health == nil && status.Disruptions == nil
		if forgot != row.forgets || gone != row.forgets {
			t.Errorf("%s: forgotten is %t, and left %+v", name, forgot, status)
		}
		memory := decide.Memory{Observed: decide.Observed{Login: row.from}}
		memory.Readings.Health.State = decide.ReadingRecorded
		memory.ForgetUnlessFrom(here)
		kept := memory.Readings.Health.State == decide.ReadingRecorded
		if kept != (row.from == here) || memory.Login != here {
			t.Errorf("%s: the reading is kept: %t", name, kept)
		}
	}
	var none v1alpha1.BroadbandServiceStatus
	decide.RecordOrigin(&none, here)
	if none.Carrier != nil || decide.ForgetStateUnlessFrom(&none, here) {
		t.Error("there is a state of which nothing is known")
	}
}
