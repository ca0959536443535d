// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ForgetUnlessFrom drops the readings for an object if they were made with another login. To another
// login, the same number is another service, or none.
func (m *Memory) ForgetUnlessFrom(here v1alpha1.CarrierLogin) {
	if m.Login != here {
		m.Readings, m.Login = Readings{}, here
	}
}

// ForgetStateUnlessFrom drops the state of a service if it was read with another login, and reports
// whether it did. The ledger is not affected.
func ForgetStateUnlessFrom(status *v1alpha1.BroadbandServiceStatus, here v1alpha1.CarrierLogin) bool {
	state := status.Carrier
	if state == nil || state.Login == here {
		return false
	}
	status.Carrier, status.Health, status.Disruptions = nil, nil, nil
	return true
}

// RecordOrigin records the login with which a service's state was read.
func RecordOrigin(status *v1alpha1.BroadbandServiceStatus, here v1alpha1.CarrierLogin) {
	if state := status.Carrier; state != nil {
		state.Login = here
	}
}
