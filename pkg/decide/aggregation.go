// SPDX-License-Identifier: Apache-2.0

package decide

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// desiredAggregation compares the declared aggregation method. The carrier has no read for it: an
// unknown value is requested or trusted, as unknownValues or a person decides.
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

// valueOf returns a known value, or "" if it is unknown.
func valueOf(known *v1alpha1.KnownValue) string {
	if known == nil {
		return ""
	}
	return known.Value
}
