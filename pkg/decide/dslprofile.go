// SPDX-License-Identifier: Apache-2.0

package decide

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

const fieldDSLProfile = "dslStabilityProfile"

// desiredDSLProfile compares the declared DSL stability profile. The carrier has no read for it: an
// unknown value is requested or trusted, as unknownValues or a person decides.
func desiredDSLProfile(in *ServiceInput) desiredChange {
	declared, known := in.Service.Spec.DSLStabilityProfile, knownDSLProfile(in)
	if declared == "" || valueOf(known) == declared {
		return desiredChange{}
	}
	return desiredChange{
		operation: v1alpha1.OperationDSLStabilityProfileChange,
		target:    v1alpha1.RequestTarget{DSLStabilityProfile: declared},
		changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationDSLStabilityProfileChange, Field: fieldDSLProfile,
			From: valueOf(known), To: declared, Unknown: known == nil,
		}},
	}
}

func knownDSLProfile(in *ServiceInput) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.DSLStabilityProfile
}
