// SPDX-License-Identifier: Apache-2.0

package services

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields of spec that a description shows, other than those of a plan change.
const (
	fieldAggregation = "aggregationMethod"
	fieldDSLProfile  = "dslStabilityProfile"
)

// theDescription is what messages call the reading of a service with the extension ServiceRead.
const theDescription = "the carrier's description of the service"

// describedValue is a value that the carrier's description of a service contains (extension
// ServiceRead).
type describedValue struct {
	field     string // of spec
	operation v1alpha1.Operation
	declared  string // "" if it is not managed
	shown     string // in the newest description; "" if it does not contain the value
	held      **v1alpha1.KnownValue
}

// describedValues returns each value that a description may contain, together with the value that a
// state holds for it.
func describedValues(in *Input, state *v1alpha1.CarrierState) []describedValue {
	spec, shown, plan := in.Service.Spec, in.Memory.Readings.Service.Service, ""
	if spec.Plan != nil {
		plan = spec.Plan.Name
	}
	return []describedValue{
		{
			decide.FieldPlan, v1alpha1.OperationPlanChange,
			plan, shown.Plan, &state.Plan,
		},
		{
			decide.FieldSLA, v1alpha1.OperationPlanChange,
			spec.RestorationSLA, shown.RestorationSLA, &state.RestorationSLA,
		},
		{
			fieldAggregation, v1alpha1.OperationAggregationConversion,
			spec.AggregationMethod, shown.AggregationMethod, &state.AggregationMethod,
		},
		{
			fieldDSLProfile, v1alpha1.OperationDSLStabilityProfileChange,
			spec.DSLStabilityProfile, shown.DSLStabilityProfile, &state.DSLStabilityProfile,
		},
	}
}

// readsService reports whether the values of the service are read from the carrier's description of
// it. If the carrier refuses this for one service, or fails to describe it several times in a row,
// the values are read as they are without the extension.
func readsService(in *Input) bool {
	reading := &in.Memory.Readings.Service
	return decide.MayReadService(&in.Account) && !reading.Refused() && reading.Failures < decide.FailuresShown
}

// isDescribed reports whether the newest description has been read.
func isDescribed(in *Input) bool { return in.Memory.Readings.Service.Answered() }

// wasDescribed reports whether the status has a value that the carrier's description of the service
// has shown. It is the same for every process.
func wasDescribed(in *Input) bool {
	known := in.Service.LastKnown()
	return isFromService(known.Plan) || isFromService(known.RestorationSLA) ||
		isFromService(known.AggregationMethod) || isFromService(known.DSLStabilityProfile)
}

// readsPlanFromService reports whether the plan is read from the description of the service, and not
// from its health.
func readsPlanFromService(in *Input) bool {
	return readsService(in) && (!isDescribed(in) || in.Memory.Readings.Service.Service.Plan != "")
}

// isFromService reports whether a value is known from the carrier's description of the service.
func isFromService(value *v1alpha1.KnownValue) bool {
	return value != nil && value.Source == v1alpha1.SourceService
}

// describedField returns the field of spec that the description of the service shows and that an
// operation changes, if the description is the basis of such a request.
func describedField(in *Input, operation v1alpha1.Operation) (field string, has bool) {
	readsPlan := operation != v1alpha1.OperationPlanChange || readsPlanFromService(in)
	for _, value := range describedValues(in, &v1alpha1.CarrierState{}) {
		if value.operation == operation && readsService(in) && readsPlan {
			return value.field, true
		}
	}
	return "", false
}

// isUndescribed reports whether a declared value is about to be read from the description. It is if
// the value is unknown, and the description contains it or has not been read; or if the value is
// only known by the name that health has for it, and this process has not requested the
// description. The description of a service without DSL has no DSL profile, so a new process does
// not read it again just for the profile.
func isUndescribed(in *Input, value *describedValue) bool {
	held := *value.held
	switch {
	case value.declared == "" && (value.field != decide.FieldPlan || !needsPlan(in)):
		return false
	case held != nil:
		return held.Source == v1alpha1.SourceHealth && in.Memory.Readings.Service.State == decide.ReadingNone
	case isDescribed(in):
		return value.shown != ""
	}
	return value.field != fieldDSLProfile || !wasDescribed(in)
}

// isUnconfirmed reports whether a value is known from an earlier description of the service, and
// the carrier refuses to describe the service now, fails to, or leaves the value out. It may have
// changed since, so a change of it needs an approval (R7). Another process sees it in the recorded
// plan of changes, until it has read the description itself.
func isUnconfirmed(in *Input, field string) bool {
	state := in.Service.LastKnown()
	for _, value := range describedValues(in, &state) {
		switch {
		case value.field != field || !isFromService(*value.held):
		case !readsService(in):
			return true
		case isDescribed(in):
			return value.shown == ""
		default:
			return in.Service.Status.ObservedGeneration == in.Service.Generation && showsUnread(in, field)
		}
	}
	return false
}

// needsPlan reports whether the carrier's plan is needed: a plan is declared, or an SLA, which is
// sent together with the current plan.
func needsPlan(in *Input) bool {
	return in.Service.Spec.Plan != nil || in.Service.Spec.RestorationSLA != ""
}

// willBeDescribed reports whether a declared value is about to be read from the description of the
// service. Such a value is not trusted without being read.
func willBeDescribed(in *Input, field string) bool {
	for _, value := range describedValues(in, &v1alpha1.CarrierState{}) {
		if value.field == field {
			return readsService(in) && isUndescribed(in, &value)
		}
	}
	return false
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

// described returns a value as it is known after a reading. The held value is kept if the reading
// confirms it, or if the reading is not newer. One that was only trusted is replaced by a newer
// reading even if that confirms it, and one named by health is always replaced. An order is older than
// any reading of its service, whenever its value was taken over. If the service had the declared
// value before, the new one has drifted from it.
func described(in *Input, value *describedValue, askedAt time.Time) *v1alpha1.KnownValue {
	held, found := *value.held, knownValue(value.shown, v1alpha1.SourceService, askedAt)
	if held == nil {
		return found
	}
	byHealth := held.Source == v1alpha1.SourceHealth
	confirmed := decide.SameName(held.Value, value.shown) && !byHealth && held.Source != v1alpha1.SourceDeclared
	isOlder := byHealth || held.Source == v1alpha1.SourceOrder
	if confirmed || !isOlder && askedAt.Before(in.Past(held.Since).Add(decide.StatusPrecision)) {
		return held
	}
	if from := agreedValue(value); from != "" && !decide.SameName(value.shown, value.declared) {
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
	case held.DriftedFrom != "" && decide.SameName(held.DriftedFrom, value.declared):
		return held.DriftedFrom
	case decide.SameName(held.Value, value.declared):
		return held.Value
	}
	return ""
}
