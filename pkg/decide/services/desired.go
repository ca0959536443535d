// SPDX-License-Identifier: Apache-2.0

package services

import (
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// desiredChanges returns the modifications that are needed, in the order in which they are sent.
// They are sent one at a time: the carrier takes one "only when no other modification is in
// progress".
func desiredChanges(in *Input) []decide.DesiredChange {
	var wanted []decide.DesiredChange
	if endedAsWanted(in) {
		return nil
	}
	for _, compare := range []func(*Input) decide.DesiredChange{
		desiredReclaim,     // a disconnected service accepts no other modification
		desiredPlanChange,  // plan and restoration SLA
		desiredAggregation, // aggregation method
		desiredDSLProfile,  // DSL stability profile
	} {
		if want := compare(in); want.Wanted() {
			wanted = append(wanted, withBody(in, want))
		}
	}
	return wanted
}

// failedChange returns the decision about a change that is held back after a definitive failure;
// nil if there is none.
func failedChange(in *Input) *decide.Decision {
	for _, want := range desiredChanges(in) {
		if failed := refused(in, want); failed != nil {
			return failed
		}
	}
	return nil
}

// desiredReclaim returns the request that reclaims a disconnected service.
func desiredReclaim(in *Input) decide.DesiredChange {
	if in.Service.Spec.Disconnection != v1alpha1.DisconnectionReclaim || !cancelled(in) {
		return decide.DesiredChange{}
	}
	return orUnread(in, decide.DesiredChange{Operation: v1alpha1.OperationReclaim, Changes: []v1alpha1.Change{{
		Operation: v1alpha1.OperationReclaim, Field: fieldDisconnection, From: "cancelled", To: "connected",
	}}})
}

// desiredPlanChange compares plan, term and SLA with the carrier's known values. Plan and
// restoration SLA are sent in one request: "Three uses: plan change, SLA change, both" (spec §4).
// The change is empty while the plan is unknown, because an unknown plan is read, not requested.
func desiredPlanChange(in *Input) decide.DesiredChange {
	if in.Service.LastKnown().Plan == nil {
		return decide.DesiredChange{}
	}
	onlyReported, plan, sla := reportsPlanDrift(in), planChanges(in), slaChanges(in)
	if len(plan) > 0 && !onlyReported && sendsWithoutSLA(in, plan, sla) {
		sla = nil
	}
	if len(plan) == 0 && len(sla) > 0 {
		sla = append(sla, unknownTerm(in)...)
	}
	want := decide.DesiredChange{Operation: v1alpha1.OperationPlanChange, Changes: append(plan, sla...)}
	if onlyReported && len(decide.ChangesOf(want.Changes, decide.FieldPlan)) == len(want.Changes) {
		// Drift is only reported; a request that is sent for another reason includes the declared plan.
		return decide.DesiredChange{}
	}
	want.Before.Plan = in.Service.LastKnown().Plan.Value
	want.Target.Plan, want.Target.Term = targetPlan(in)
	if len(sla) > 0 {
		want.Target.RestorationSLA = sla[0].To
	}
	want.Target.NTDOption = ntdOption(in)
	return withPrice(in, withNTDOption(orUnread(in, want)))
}

// planChanges compares the declared plan. Names that differ only in case or extra spaces are the
// same plan: two spellings must not cause a loop of chargeable changes.
func planChanges(in *Input) []v1alpha1.Change {
	declared, known := in.Service.Spec.Plan, in.Service.LastKnown().Plan
	if declared == nil {
		return nil
	}
	var changes []v1alpha1.Change
	if !decide.SameName(declared.Name, known.Value) {
		change := planChange(decide.FieldPlan, known.Value, declared.Name)
		change.Unknown = isUnlisted(in) ||
			isUnconfirmed(in, decide.FieldPlan) && decide.CheckSupported(&in.Input, carrier.Health) != nil
		changes = append(changes, change)
	}
	// "An unknown term alone is never a reason for a change."
	if term := comparedTerm(in); term != nil && term.Value != strconv.Itoa(int(declared.Term)) {
		changes = append(changes, planChange(decide.FieldTerm, term.Value, strconv.Itoa(int(declared.Term))))
	}
	return changes
}

// sendsWithoutSLA reports whether a plan change is sent without the SLA, because the SLA is unknown:
// the known change is sent, and a person decides about the unknown value. If the plan needs an
// approval anyway, both are approved together.
func sendsWithoutSLA(in *Input, plan, sla []v1alpha1.Change) bool {
	return approvalOf(in) == v1alpha1.ApprovalAutomatic && !decide.HasUnknown(plan) &&
		needsUnknownDecision(in, decide.DesiredChange{Changes: sla})
}

// approvalOf returns when a change of the service has to be approved.
func approvalOf(in *Input) v1alpha1.Approval {
	return decide.ApprovalPolicy(&in.Input, in.Service.Spec.Approval)
}

// slaChanges compares the declared SLA. The carrier's documented API cannot report it, so an
// unknown value is requested or trusted, as unknownValues or a person decides.
func slaChanges(in *Input) []v1alpha1.Change {
	declared, known := in.Service.Spec.RestorationSLA, in.Service.LastKnown().RestorationSLA
	if declared == "" || known != nil && decide.SameName(known.Value, declared) || onlyReportsDrift(in, decide.FieldSLA) {
		return nil
	}
	change := planChange(decide.FieldSLA, "", declared)
	change.From, change.Unknown = oldValue(in, decide.FieldSLA, known)
	return []v1alpha1.Change{change}
}

// unknownTerm returns the declared term as a change if it is sent with an SLA and nobody knows the
// term that the service has: it may be a new commitment, so it is shown and priced.
func unknownTerm(in *Input) []v1alpha1.Change {
	declared := in.Service.Spec.Plan
	if declared == nil || termOfPlan(in) != nil {
		return nil
	}
	return []v1alpha1.Change{planChange(decide.FieldTerm, "", strconv.Itoa(int(declared.Term)))}
}

// targetPlan returns the plan and term to send: the declared ones, in the carrier's spelling if the
// plan stays the same. Without a declared plan, the SLA is sent with the current plan; term 0 then
// means unknown.
func targetPlan(in *Input) (plan string, term int32) {
	known := in.Service.LastKnown().Plan
	if declared := in.Service.Spec.Plan; declared != nil {
		if decide.SameName(declared.Name, known.Value) {
			return known.Value, declared.Term
		}
		return declared.Name, declared.Term
	}
	if value := termOfPlan(in); value != nil {
		parsed, err := strconv.ParseInt(value.Value, 10, 32)
		if err == nil {
			term = int32(parsed)
		}
	}
	return known.Value, term
}

// comparedTerm returns the known term that the declared term is compared with: that of the plan that
// the service has or, if the carrier has moved it from the declared plan, the one that it had there.
// It is nil if neither is known.
func comparedTerm(in *Input) *v1alpha1.KnownValue {
	state := in.Service.LastKnown()
	if state.Term != nil && decide.SameName(state.Term.Plan, in.Service.Spec.Plan.Name) {
		return state.Term
	}
	return TermOfPlan(&state)
}

// TermOfPlan returns the term of the plan that a service has; nil if it is not known. If the carrier
// has changed the plan, nobody knows its term, because the carrier's API cannot report it.
func TermOfPlan(state *v1alpha1.CarrierState) *v1alpha1.KnownValue {
	if state.Plan == nil || state.Term == nil || decide.SameName(state.Term.Plan, state.Plan.Value) {
		return state.Term
	}
	return nil
}

// termOfPlan is TermOfPlan of the service.
func termOfPlan(in *Input) *v1alpha1.KnownValue {
	state := in.Service.LastKnown()
	return TermOfPlan(&state)
}

func planChange(field, from, to string) v1alpha1.Change {
	return v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: field, From: from, To: to}
}

// withNTDOption names the NTD option in the first row of a plan change: "the message names what is
// bought" (R8). It is sent with a change of the plan, and also with a change of the SLA alone.
func withNTDOption(want decide.DesiredChange) decide.DesiredChange {
	if want.Target.NTDOption != "" && want.Wanted() {
		want.Changes[0].NTDOption = &v1alpha1.NTDOptionCharge{Option: want.Target.NTDOption}
	}
	return want
}

func ntdOption(in *Input) string {
	if in.Service.Spec.Plan == nil {
		return ""
	}
	return in.Service.Spec.Plan.NTDOption
}

// desiredAggregation compares the declared aggregation method.
func desiredAggregation(in *Input) decide.DesiredChange {
	declared := in.Service.Spec.AggregationMethod
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationAggregationConversion, Field: fieldAggregation, To: declared,
	}
	known, target := in.Service.LastKnown().AggregationMethod, v1alpha1.RequestTarget{AggregationMethod: declared}
	return desiredUnreadable(in, change, known, target)
}

// desiredDSLProfile compares the declared DSL stability profile.
func desiredDSLProfile(in *Input) decide.DesiredChange {
	declared := in.Service.Spec.DSLStabilityProfile
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationDSLStabilityProfileChange, Field: fieldDSLProfile, To: declared,
	}
	known, target := in.Service.LastKnown().DSLStabilityProfile, v1alpha1.RequestTarget{DSLStabilityProfile: declared}
	return desiredUnreadable(in, change, known, target)
}

// desiredUnreadable compares a declared value that the carrier's documented API cannot report. An
// unknown value is requested or trusted, as unknownValues or a person decides.
func desiredUnreadable(
	in *Input, change v1alpha1.Change, known *v1alpha1.KnownValue, target v1alpha1.RequestTarget,
) decide.DesiredChange {
	if change.To == "" || decide.SameName(known.ValueOrEmpty(), change.To) || onlyReportsDrift(in, change.Field) {
		return decide.DesiredChange{}
	}
	change.From, change.Unknown = oldValue(in, change.Field, known)
	return decide.DesiredChange{Operation: change.Operation, Target: target, Changes: []v1alpha1.Change{change}}
}

// oldValue returns the value that a change replaces, or that it is not known.
func oldValue(in *Input, field string, known *v1alpha1.KnownValue) (from string, unknown bool) {
	if known == nil || isUnconfirmed(in, field) {
		return "", true
	}
	return known.Value, false
}

// needsUnknownDecision reports whether a person has to decide first whether the unknown values of a
// change are requested or trusted.
func needsUnknownDecision(in *Input, want decide.DesiredChange) bool {
	policy := decide.UnknownValuesPolicy(&in.Input, in.Service.Spec.UnknownValues)
	return policy != v1alpha1.UnknownRequest && decide.HasUnknown(want.Changes)
}
