// SPDX-License-Identifier: Apache-2.0

package services

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields of spec beside those of a plan change.
const (
	fieldAggregation = "aggregationMethod"
	fieldDSLProfile  = "dslStabilityProfile"
)

// describedValue is a value that the carrier's description of a service contains (extension
// ServiceRead).
type describedValue struct {
	field     string // of spec
	operation v1alpha1.Operation
	declared  string // "" if it is not managed
	shown     string // in the newest description; "" if it does not contain the value
	held      **v1alpha1.KnownValue
	same      func(a, b string) bool // whether two spellings are one value
}

// describedValues returns the values that a description contains, with those of a state.
func describedValues(in *Input, state *v1alpha1.CarrierState) []describedValue {
	spec, shown, plan := in.Service.Spec, in.Memory.Readings.Service.Service, ""
	exactly := func(a, b string) bool { return a == b }
	if spec.Plan != nil {
		plan = spec.Plan.Name
	}
	return []describedValue{
		{
			decide.FieldPlan, v1alpha1.OperationPlanChange,
			plan, shown.Plan, &state.Plan, decide.SameName,
		},
		{
			decide.FieldSLA, v1alpha1.OperationPlanChange,
			spec.RestorationSLA, shown.RestorationSLA, &state.RestorationSLA, exactly,
		},
		{
			fieldAggregation, v1alpha1.OperationAggregationConversion,
			spec.AggregationMethod, shown.AggregationMethod, &state.AggregationMethod, exactly,
		},
		{
			fieldDSLProfile, v1alpha1.OperationDSLStabilityProfileChange,
			spec.DSLStabilityProfile, shown.DSLStabilityProfile, &state.DSLStabilityProfile, exactly,
		},
	}
}

// recordDescription records what the carrier's description of the service contains.
func recordDescription(in *Input, reading *decide.Reading) {
	state, shown := carrierState(in.Service), reading.Service
	for at, text := range map[*string]string{
		&state.TechnologyType: shown.TechnologyType, &state.LocationID: shown.LocationID, &state.AVCID: shown.AVCID,
	} {
		if *at == "" { // health shows them, too
			*at = text
		}
	}
	for _, value := range describedValues(in, state) {
		if value.shown != "" {
			*value.held = described(in, &value, reading.RequestedAt)
		}
	}
}

// described returns a value as it is known after a reading. A value of another source is kept if the
// reading confirms it, or is not newer. One that was only trusted, or named by health, is replaced.
func described(in *Input, value *describedValue, askedAt time.Time) *v1alpha1.KnownValue {
	held, found := *value.held, knownValue(value.shown, v1alpha1.SourceService, askedAt)
	if held == nil {
		return found
	}
	byHealth := held.Source == v1alpha1.SourceHealth
	confirmed := value.same(held.Value, value.shown) && !byHealth && held.Source != v1alpha1.SourceDeclared
	if confirmed || !byHealth && askedAt.Before(in.Past(held.Since).Add(decide.StatusPrecision)) {
		return held
	}
	if from := agreedValue(value); from != "" && !value.same(value.shown, value.declared) {
		found.DriftedFrom = from
	}
	return found
}

// agreedValue returns the declared value if the service had it, by the carrier's word; otherwise "".
func agreedValue(value *describedValue) string {
	held := *value.held
	trusted := held.Source == v1alpha1.SourceDeclared || held.Source == v1alpha1.SourceHealth
	switch {
	case value.declared == "", trusted:
		return ""
	case held.DriftedFrom != "" && value.same(held.DriftedFrom, value.declared):
		return held.DriftedFrom
	case value.same(held.Value, value.declared):
		return held.Value
	}
	return ""
}
