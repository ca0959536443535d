// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// OriginOf returns the carrier and identity of an account.
func OriginOf(account *v1alpha1.CarrierAccount) Origin {
	return Origin{account.Spec.BaseURL, account.IdentityName()}
}

// ForgetUnlessFrom drops the readings for an object if they are from another origin.
func (m *Memory) ForgetUnlessFrom(here Origin) {
	if m.Origin != here {
		m.Readings, m.Origin = Readings{}, here
	}
}

// ForgetStateUnlessFrom drops the state of a service if it is from another origin, and reports
// whether it did. The ledger is not affected.
func ForgetStateUnlessFrom(status *v1alpha1.BroadbandServiceStatus, here Origin) bool {
	state := status.Carrier
	if state == nil || (Origin{state.BaseURL, state.Identity}) == here {
		return false
	}
	status.Carrier, status.Health, status.Disruptions = nil, nil, nil
	return true
}

// RecordOrigin records the origin of a service's state.
func RecordOrigin(status *v1alpha1.BroadbandServiceStatus, here Origin) {
	if state := status.Carrier; state != nil {
		state.BaseURL, state.Identity = here.BaseURL, here.Identity
	}
}
