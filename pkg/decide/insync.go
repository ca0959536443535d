// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// declaredValue is a declared value and the carrier's known value.
type declaredValue struct {
	name  string
	known *v1alpha1.KnownValue
}

// declaredValues returns the declared values of the service.
func declaredValues(in *ServiceInput) []declaredValue {
	spec := in.Service.Spec
	var declared []declaredValue
	if spec.Plan != nil {
		declared = append(declared, declaredValue{"plan", knownPlan(in)}, declaredValue{"term", knownTerm(in)})
	}
	for _, value := range []struct {
		declared string
		value    declaredValue
	}{
		{spec.RestorationSLA, declaredValue{nameOfSLA, knownSLA(in)}},
		{spec.AggregationMethod, declaredValue{"aggregation method", knownAggregation(in)}},
		{spec.DSLStabilityProfile, declaredValue{"DSL stability profile", knownDSLProfile(in)}},
	} {
		if value.declared != "" {
			declared = append(declared, value.value)
		}
	}
	return declared
}

// inSyncWords describes how each declared value is known. A value that is only trusted is not
// reported as declared.
func inSyncWords(in *ServiceInput) string {
	days := zone(&in.Input)
	var words, believed, unknown []string
	for _, declared := range declaredValues(in) {
		switch {
		case declared.known == nil:
			unknown = append(unknown, declared.name)
		case declared.known.Source == v1alpha1.SourceDeclared:
			believed = append(believed, declared.name)
		default:
			words = append(words, howSince(declared, days))
		}
	}
	if known := knownCancellation(in); known != nil && in.Service.Spec.Cancellation != nil {
		words = append(words, "cancellation read on "+dayIn(days, known.Since.Time))
	}
	if len(believed) > 0 {
		words = append(words, listOf(believed)+" believed as declared, which the carrier has never confirmed")
	}
	if len(unknown) > 0 {
		words = append(words, listOf(unknown)+" not known: the carrier has no read of it")
	}
	if len(words) == 0 {
		return "the carrier shows the service, and nothing of it is declared"
	}
	return strings.Join(words, "; ")
}

// howSince describes since when the carrier's value is known, and its source.
func howSince(declared declaredValue, days *time.Location) string {
	day := dayIn(days, declared.known.Since.Time)
	switch declared.known.Source {
	case v1alpha1.SourceHealth:
		return fmt.Sprintf("%s read on %s", declared.name, day)
	case v1alpha1.SourceChangeResult:
		return fmt.Sprintf("%s changed on %s", declared.name, day)
	case v1alpha1.SourceOrder:
		return fmt.Sprintf("%s as ordered", declared.name)
	case v1alpha1.SourceDeclared:
	}
	return declared.name // a value that is only trusted has never been confirmed
}

// listOf joins names as in a sentence: a, b and c.
func listOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func knownTerm(in *ServiceInput) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.Term
}
