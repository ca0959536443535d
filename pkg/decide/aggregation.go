// SPDX-License-Identifier: Apache-2.0

package decide

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// desiredAggregation compares the declared aggregation method. It has no read: what is
// not known is requested or believed as unknownValues, or a person, says.
func desiredAggregation(in *ServiceInput) desiredChange {
	declared, known := in.Service.Spec.AggregationMethod, knownAggregation(in)
	if declared == "" || valueOf(known) == declared {
		return desiredChange{}
	}
	return desiredChange{
		operation: v1alpha1.OperationAggregationConversion,
		target:    v1alpha1.RequestTarget{AggregationMethod: declared},
		changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationAggregationConversion, Field: fieldAggregation,
			From: valueOf(known), To: declared, Unknown: known == nil,
		}},
	}
}

const fieldAggregation = "aggregationMethod"

func knownAggregation(in *ServiceInput) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.AggregationMethod
}

// valueOf is a known value, or "" for one that is not known.
func valueOf(known *v1alpha1.KnownValue) string {
	if known == nil {
		return ""
	}
	return known.Value
}
