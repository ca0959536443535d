// SPDX-License-Identifier: Apache-2.0

package decide

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

const fieldDSLProfile = "dslStabilityProfile"

// dslProfileWish compares the declared DSL stability profile. It has no read: what is
// not known is requested or believed as unknownValues, or a person, says.
func dslProfileWish(v *ServiceView) wish {
	declared, known := v.Service.Spec.DSLStabilityProfile, knownDSLProfile(v)
	if declared == "" || valueOf(known) == declared {
		return wish{}
	}
	return wish{
		operation: v1alpha1.OperationDSLStabilityProfileChange,
		target:    v1alpha1.RequestTarget{DSLStabilityProfile: declared},
		changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationDSLStabilityProfileChange, Field: fieldDSLProfile,
			From: valueOf(known), To: declared, Unknown: known == nil,
		}},
	}
}

func knownDSLProfile(v *ServiceView) *v1alpha1.KnownValue {
	if v.Service.Status.Carrier == nil {
		return nil
	}
	return v.Service.Status.Carrier.DSLStabilityProfile
}
