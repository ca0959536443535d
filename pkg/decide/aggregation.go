// SPDX-License-Identifier: Apache-2.0

package decide

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// aggregationWish compares the declared aggregation method. It has no read: what is
// not known is requested or believed as unknownValues, or a person, says.
func aggregationWish(v *ServiceView) wish {
	declared, known := v.Service.Spec.AggregationMethod, knownAggregation(v)
	if declared == "" || valueOf(known) == declared {
		return wish{}
	}
	return wish{
		operation: v1alpha1.OperationAggregationConversion,
		target:    v1alpha1.RequestTarget{AggregationMethod: declared},
		changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationAggregationConversion, Field: fieldAggregation,
			From: valueOf(known), To: declared, Unknown: known == nil,
		}},
	}
}

const fieldAggregation = "aggregationMethod"

func knownAggregation(v *ServiceView) *v1alpha1.KnownValue {
	if v.Service.Status.Carrier == nil {
		return nil
	}
	return v.Service.Status.Carrier.AggregationMethod
}

// valueOf is a known value, or "" for one that is not known.
func valueOf(known *v1alpha1.KnownValue) string {
	if known == nil {
		return ""
	}
	return known.Value
}
