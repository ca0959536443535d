// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// ServiceValuesOf returns what is kept of a description.
func ServiceValuesOf(found carrier.Service) ServiceValues {
	const longest = 64
	return ServiceValues{
		Plan:                Bounded(found.BandwidthProfile.PlanName, MaxNameText),
		RestorationSLA:      Bounded(found.RestorationSLA, MaxNameText),
		AggregationMethod:   Bounded(string(found.AggregationMethod), MaxNameText),
		DSLStabilityProfile: Bounded(string(found.DSLStabilityProfile), MaxNameText),
		TechnologyType:      Bounded(found.TechnologyType, longest),
		LocationID:          Bounded(found.LocationID, longest),
		AVCID:               Bounded(found.AVCID, longest),
		Modified:            len(found.Modifications) > 0,
	}
}

// ReadVersion returns the API version with which an account reads a topic: the account's own
// version or, if that does not have the call and the account is not strict, the least version that
// has it.
func ReadVersion(account *v1alpha1.CarrierAccount, topic Topic) int {
	switch {
	case topic != TopicService:
		return CallVersion(account, topic.Operation())
	case account.Spec.FamilyVersions == v1alpha1.FamilyVersionsStrict:
		return int(account.Spec.APIVersion)
	}
	return carrier.ServiceReadContract().LeastVersion(int(account.Spec.APIVersion))
}

// serviceReadSupported returns an error if the account's version does not have the read of a service.
func serviceReadSupported(account *v1alpha1.CarrierAccount) error {
	return carrier.ServiceReadContract().SupportedAt(ReadVersion(account, TopicService))
}

// MayReadService reports whether an account reads its services: it has the extension, and the carrier
// has not refused it.
func MayReadService(account *Account) bool {
	if account.Object == nil || !account.Object.Extends(v1alpha1.ExtensionServiceRead) {
		return false
	}
	return serviceReadSupported(account.Object) == nil && account.Extensions[v1alpha1.ExtensionServiceRead] == nil
}

// ServiceReadRefused returns the error with which the carrier has refused to describe a service
// that it shows otherwise; nil if it has not. A 403 or 404 alone may be about the service: only the
// read of its cancellation says whether the carrier shows the service.
func ServiceReadRefused(readings *Readings) error {
	refused := readings.Service.State == ReadingFailed &&
		carrier.ClassOf(readings.Service.Err) == carrier.NotFoundOrForbidden
	if !refused || !readings.Cancellation.Answered() {
		return nil
	}
	return readings.Service.Err
}
