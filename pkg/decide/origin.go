// SPDX-License-Identifier: Apache-2.0

package decide

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// Origin is whom a carrier's state was learned from: the carrier, and the identity it was asked as.
// The same number is another service, or none, at another carrier and for another identity.
type Origin struct{ BaseURL, Identity string }

// OriginOf is what an account asks, and as whom.
func OriginOf(account *v1alpha1.CarrierAccount) Origin {
	return Origin{account.Spec.BaseURL, account.IdentityName()}
}

// ForgetFrom forgets what was read for an object from another origin: it justifies nothing here.
func (m *Memory) ForgetFrom(here Origin) {
	if m.Origin != here {
		m.Readings, m.Origin = Readings{}, here
	}
}

// ForgetState forgets the state of a service that was learned from another origin, and says whether
// there was any. What the ledger knows is none of it.
func ForgetState(status *v1alpha1.BroadbandServiceStatus, here Origin) bool {
	state := status.Carrier
	if state == nil || (Origin{state.BaseURL, state.Identity}) == here {
		return false
	}
	status.Carrier, status.Health, status.Disruptions = nil, nil, nil
	return true
}

// NameOrigin has the state of a service say whom it was learned from.
func NameOrigin(status *v1alpha1.BroadbandServiceStatus, here Origin) {
	if state := status.Carrier; state != nil {
		state.BaseURL, state.Identity = here.BaseURL, here.Identity
	}
}
