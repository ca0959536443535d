// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// applyTrust records declared values as the carrier's where a person has allowed it: in advance
// with trustDeclared or unknownValues, or with the trust annotation for the changes that are shown.
func applyTrust(in *Input) {
	trustUnreadable(in)
	trustResult(in)
	switch plan := in.Service.LastKnown().Plan; {
	case in.Service.Spec.Plan == nil:
	case plan == nil:
		trustPlan(in)
	default:
		trustSpelling(in, plan)
	}
}

// trustUnreadable records the declared values in place of those that cannot be read.
func trustUnreadable(in *Input) {
	state := in.Service.LastKnown() // the recorded state stays unchanged if no value is taken
	spec := in.Service.Spec
	for _, aspect := range []struct {
		name            v1alpha1.TrustedAspect
		operation       v1alpha1.Operation
		field, declared string
		held            **v1alpha1.KnownValue
	}{
		{
			v1alpha1.TrustRestorationSLA, v1alpha1.OperationPlanChange,
			decide.FieldSLA, spec.RestorationSLA, &state.RestorationSLA,
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
		held := *aspect.held
		known := held != nil && (decide.SameName(held.Value, aspect.declared) || !isUnconfirmed(in, aspect.field))
		if aspect.declared == "" || known || willBeDescribed(in, aspect.field) {
			continue
		}
		change := v1alpha1.Change{Operation: aspect.operation, Field: aspect.field, To: aspect.declared}
		// Trust in advance never replaces what the carrier has shown.
		if held == nil && trusts(in, aspect.operation, aspect.name) || takeTrust(in, change) {
			*aspect.held = knownValue(aspect.declared, v1alpha1.SourceDeclared, in.Now)
			in.Service.Status.Carrier = &state
		}
	}
}

// trustPlan records the declared plan as the carrier's: instead of reading it if trustDeclared
// lists the plan, and otherwise only if unknown values are trusted and the plan cannot be read.
func trustPlan(in *Input) {
	named := slices.Contains(in.Service.Spec.TrustDeclared, v1alpha1.TrustPlan)
	readable := decide.CheckSupported(&in.Input, carrier.Health) == nil || willBeDescribed(in, decide.FieldPlan)
	if !trusts(in, v1alpha1.OperationPlanChange, v1alpha1.TrustPlan) || !named && readable {
		return
	}
	declared, state := in.Service.Spec.Plan, carrierState(in.Service)
	state.Plan = knownValue(declared.Name, v1alpha1.SourceDeclared, in.Now)
	state.Term = knownTerm(declared.Name, declared.Term, v1alpha1.SourceDeclared, in.Now)
}

// trustSpelling records, if that is trusted, that the plan from health is the declared one in
// another spelling.
func trustSpelling(in *Input, plan *v1alpha1.KnownValue) {
	declared := in.Service.Spec.Plan.Name
	offersRead := quoteFresh(in) && in.Memory.Readings.Options.State == decide.ReadingAnswered
	trusted := trustsUnknown(in) && offersRead && isUnlisted(in)
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationPlanChange, Field: decide.FieldPlan, From: plan.Value, To: declared,
	}
	if !isAtFirstSight(in) || !trusted && !takeTrust(in, change) {
		return
	}
	declaredPlan := knownValue(declared, v1alpha1.SourceDeclared, in.Now)
	declaredPlan.AsHealth = plan.Value
	in.Service.Status.Carrier.Plan = declaredPlan
}

// trusts reports whether a declared value is trusted in advance. This is only possible while no
// request of the operation that changes the value is recorded.
func trusts(in *Input, operation v1alpha1.Operation, aspect v1alpha1.TrustedAspect) bool {
	if in.Subject.RequestOf(operation) != nil {
		return false
	}
	listed := slices.Contains(in.Service.Spec.TrustDeclared, aspect)
	return listed || trustsUnknown(in)
}

// takeTrust handles the trust annotation for the changes that are shown, and reports whether it
// covers the given change. If a request for it is in progress, its result is awaited instead.
func takeTrust(in *Input, change v1alpha1.Change) bool {
	shown, given := in.Service.Status.Pending, decide.Control(in.Subject, v1alpha1.AnnotationTrust)
	open := in.Subject.RequestOf(change.Operation)
	if shown == nil || given != shown.Hash || open != nil && !open.Phase.Ended() {
		return false
	}
	answered := slices.ContainsFunc(shown.Changes, func(asked v1alpha1.Change) bool {
		return asked.Unknown && asked.Operation == change.Operation && asked.Field == change.Field &&
			asked.From == change.From && asked.To == change.To
	})
	if answered {
		in.Service.Status.Handled.Trust = given
	}
	return answered
}
