// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// believe takes declared values for the carrier's where somebody has said so: in advance by
// trustDeclared or unknownValues, or by the annotation trust of the changes that are shown.
func believe(v *ServiceView) {
	believeUnread(v)
	switch plan := knownPlan(v); {
	case v.Service.Spec.Plan == nil:
	case plan == nil:
		believePlan(v)
	default:
		believeSpelling(v, plan)
	}
}

// believeUnread takes the values that have no read as declared.
func believeUnread(v *ServiceView) {
	var state v1alpha1.CarrierState // the one on record stays as it is where nothing is taken
	if held := v.Service.Status.Carrier; held != nil {
		state = *held
	}
	spec := v.Service.Spec
	for _, aspect := range []struct {
		name            v1alpha1.TrustedAspect
		operation       v1alpha1.Operation
		field, declared string
		held            **v1alpha1.KnownValue
	}{
		{
			v1alpha1.TrustRestorationSLA, v1alpha1.OperationPlanChange,
			fieldSLA, spec.RestorationSLA, &state.RestorationSLA,
		},
		{
			v1alpha1.TrustAggregationMethod, v1alpha1.OperationAggregationConversion,
			fieldAggregation, spec.AggregationMethod, &state.AggregationMethod,
		},
		{
			v1alpha1.TrustDSLStabilityProfile, v1alpha1.OperationDSLStabilityProfileChange,
			fieldDSLProfile, spec.DSLStabilityProfile, &state.DSLStabilityProfile,
		},
	} {
		if aspect.declared == "" || *aspect.held != nil {
			continue
		}
		change := v1alpha1.Change{Operation: aspect.operation, Field: aspect.field, To: aspect.declared}
		if trusts(v, aspect.operation, aspect.name) || takeTrust(v, change) {
			*aspect.held = known(aspect.declared, v1alpha1.SourceDeclared, v.Now)
			v.Service.Status.Carrier = &state
		}
	}
}

// believePlan takes the plan as declared instead of reading it, or where it cannot be read.
func believePlan(v *ServiceView) {
	named := slices.Contains(v.Service.Spec.TrustDeclared, v1alpha1.TrustPlan)
	if !trusts(v, v1alpha1.OperationPlanChange, v1alpha1.TrustPlan) || !named && healthSupported(v) == nil {
		return
	}
	declared, state := v.Service.Spec.Plan, carrierState(v.Service)
	state.Plan = known(declared.Name, v1alpha1.SourceDeclared, v.Now)
	state.Term = known(strconv.Itoa(int(declared.Term)), v1alpha1.SourceDeclared, v.Now)
}

// believeSpelling takes the plan that health names for the declared one, which it spells otherwise.
func believeSpelling(v *ServiceView, plan *v1alpha1.KnownValue) {
	declared := v.Service.Spec.Plan.Name
	offersRead := quoteFresh(v) && v.Memory.Readings.Options.State == ReadingAnswered
	trusted := unknownValuesOf(v) == v1alpha1.UnknownTrust && offersRead && isUnlisted(v)
	change := v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: fieldPlan, From: plan.Value, To: declared}
	if !isAtFirstSight(v) || !trusted && !takeTrust(v, change) {
		return
	}
	believed := known(declared, v1alpha1.SourceDeclared, v.Now)
	believed.AsHealth = plan.Value
	v.Service.Status.Carrier.Plan = believed
}

// trusts says whether a declared value is believed in advance: only what no request of ours has ever
// touched can be.
func trusts(v *ServiceView, operation v1alpha1.Operation, aspect v1alpha1.TrustedAspect) bool {
	if v.Subject.RequestOf(operation) != nil {
		return false
	}
	listed := slices.Contains(v.Service.Spec.TrustDeclared, aspect)
	return listed || unknownValuesOf(v) == v1alpha1.UnknownTrust
}

// takeTrust acts on a person's answer to the changes that are shown, and says whether it is to believe
// one of them. What is with the carrier by then is not believed: its result is waited for.
func takeTrust(v *ServiceView, change v1alpha1.Change) bool {
	shown, given := v.Service.Status.Pending, control(v.Subject, v1alpha1.AnnotationTrust)
	open := v.Subject.RequestOf(change.Operation)
	if shown == nil || given != shown.Hash || open != nil && !open.Phase.Ended() {
		return false
	}
	answered := slices.ContainsFunc(shown.Changes, func(asked v1alpha1.Change) bool {
		return asked.Unknown && asked.Operation == change.Operation && asked.Field == change.Field &&
			asked.From == change.From && asked.To == change.To
	})
	if answered {
		v.Service.Status.Handled.Trust = given
	}
	return answered
}
