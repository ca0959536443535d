// SPDX-License-Identifier: Apache-2.0

package services

import (
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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
// It is empty while the plan is unknown: a plan is read, not requested.
func desiredPlanChange(in *Input) decide.DesiredChange {
	if lastKnown(in).Plan == nil {
		return decide.DesiredChange{}
	}
	plan, sla := planChanges(in), slaChanges(in)
	if len(plan) > 0 && !reportsPlanDrift(in) && sendsWithoutSLA(in, plan, sla) {
		sla = nil
	}
	want := decide.DesiredChange{Operation: v1alpha1.OperationPlanChange, Changes: append(plan, sla...)}
	if reportsPlanDrift(in) && len(fieldChanges(want.Changes, decide.FieldPlan)) == len(want.Changes) {
		// Drift is only reported; a request that is sent for another reason includes the declared plan.
		return decide.DesiredChange{}
	}
	want.Before.Plan = lastKnown(in).Plan.Value
	want.Target.Plan, want.Target.Term = targetPlan(in)
	if len(sla) > 0 {
		want.Target.RestorationSLA = sla[0].To
	}
	want.Target.NTDOption = ntdOption(in)
	return withPrice(in, orUnread(in, want))
}

// planChanges compares the declared plan. Names that differ only in case or spaces are the same
// plan: two spellings must not cause a loop of chargeable changes.
func planChanges(in *Input) []v1alpha1.Change {
	declared, known := in.Service.Spec.Plan, lastKnown(in).Plan
	if declared == nil {
		return nil
	}
	var changes []v1alpha1.Change
	if !decide.SameName(declared.Name, known.Value) {
		change := planChange(decide.FieldPlan, known.Value, declared.Name)
		change.Unknown = isUnlisted(in)
		changes = append(changes, change)
	}
	// "An unknown term alone is never a reason for a change."
	if term := lastKnown(in).Term; term != nil && term.Value != strconv.Itoa(int(declared.Term)) {
		changes = append(changes, planChange(decide.FieldTerm, term.Value, strconv.Itoa(int(declared.Term))))
	}
	return changes
}

// sendsWithoutSLA reports whether a plan change is sent without an unknown SLA: the known change is
// sent, and a person decides about the unknown value. If the plan needs an approval anyway, both
// are approved together.
func sendsWithoutSLA(in *Input, plan, sla []v1alpha1.Change) bool {
	return approvalOf(in) == v1alpha1.ApprovalAutomatic && needsUnknownDecision(in, decide.DesiredChange{Changes: sla}) &&
		!decide.HasUnknown(plan)
}

// slaChanges compares the declared SLA. The carrier's API cannot report it: an unknown value is
// requested or trusted, as unknownValues or a person decides.
func slaChanges(in *Input) []v1alpha1.Change {
	declared, known := in.Service.Spec.RestorationSLA, lastKnown(in).RestorationSLA
	if declared == "" || known != nil && known.Value == declared || onlyReportsDrift(in, decide.FieldSLA) {
		return nil
	}
	change := planChange(decide.FieldSLA, valueOf(known), declared)
	change.Unknown = known == nil
	return []v1alpha1.Change{change}
}

// targetPlan returns the plan and term to send: the declared ones, in the carrier's spelling if the
// plan stays the same. Without a declared plan, the SLA is sent with the current plan; term 0 then
// means unknown.
func targetPlan(in *Input) (plan string, term int32) {
	known := lastKnown(in).Plan
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

// termOfPlan returns the term of the plan that the service has; nil if it is not known. Nobody knows
// the term of a plan to which the carrier has changed: its API cannot report it.
func termOfPlan(in *Input) *v1alpha1.KnownValue {
	plan, term, base := lastKnown(in).Plan, lastKnown(in).Term, baselineOf(in)
	if plan == nil || term == nil {
		return term
	}
	read := plan.Source == v1alpha1.SourceHealth || plan.Source == v1alpha1.SourceService
	ours := base != nil && decide.SameName(base.Value, plan.Value)
	if read && !ours && term.Since.Before(&plan.Since) {
		return nil
	}
	return term
}

func planChange(field, from, to string) v1alpha1.Change {
	return v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: field, From: from, To: to}
}

func ntdOption(in *Input) string {
	if in.Service.Spec.Plan == nil {
		return ""
	}
	return in.Service.Spec.Plan.NTDOption
}

// desiredAggregation compares the declared aggregation method. The carrier's API cannot report it:
// an unknown value is requested or trusted, as unknownValues or a person decides.
func desiredAggregation(in *Input) decide.DesiredChange {
	declared, known := in.Service.Spec.AggregationMethod, lastKnown(in).AggregationMethod
	if declared == "" || valueOf(known) == declared || onlyReportsDrift(in, fieldAggregation) {
		return decide.DesiredChange{}
	}
	return decide.DesiredChange{
		Operation: v1alpha1.OperationAggregationConversion,
		Target:    v1alpha1.RequestTarget{AggregationMethod: declared},
		Changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationAggregationConversion, Field: fieldAggregation,
			From: valueOf(known), To: declared, Unknown: known == nil,
		}},
	}
}

// desiredDSLProfile compares the declared DSL stability profile. The carrier's API cannot report
// it: an unknown value is requested or trusted, as unknownValues or a person decides.
func desiredDSLProfile(in *Input) decide.DesiredChange {
	declared, known := in.Service.Spec.DSLStabilityProfile, lastKnown(in).DSLStabilityProfile
	if declared == "" || valueOf(known) == declared || onlyReportsDrift(in, fieldDSLProfile) {
		return decide.DesiredChange{}
	}
	return decide.DesiredChange{
		Operation: v1alpha1.OperationDSLStabilityProfileChange,
		Target:    v1alpha1.RequestTarget{DSLStabilityProfile: declared},
		Changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationDSLStabilityProfileChange, Field: fieldDSLProfile,
			From: valueOf(known), To: declared, Unknown: known == nil,
		}},
	}
}

// needsUnknownDecision reports whether a person has to decide first whether the unknown values of a
// change are requested or trusted.
func needsUnknownDecision(in *Input, want decide.DesiredChange) bool {
	return decide.HasUnknown(want.Changes) && unknownValuesOf(in) != v1alpha1.UnknownRequest
}

// isAtFirstSight reports whether the plan is only known by its name in health: no request of ours
// has concerned it, and no person has confirmed it.
func isAtFirstSight(in *Input) bool {
	plan := lastKnown(in).Plan
	return plan != nil && plan.Source == v1alpha1.SourceHealth && baselineOf(in) == nil &&
		decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange) == nil
}

// comparesSpelling reports whether the carrier's offers have to be read before a plan with a
// different name counts as different from the declared one: health may spell the same plan
// differently.
func comparesSpelling(in *Input) bool {
	declared := in.Service.Spec.Plan
	return declared != nil && isAtFirstSight(in) && !decide.SameName(declared.Name, lastKnown(in).Plan.Value) &&
		unknownValuesOf(in) != v1alpha1.UnknownRequest
}

// mayNeedPlanDecision reports whether a person may have to decide about a plan change because of
// unknown values. Its price is read for that decision.
func mayNeedPlanDecision(in *Input) bool {
	return comparesSpelling(in) || needsUnknownDecision(in, decide.DesiredChange{Changes: slaChanges(in)})
}

// isUnlisted reports whether the plan named in health is not known to be offered for the service,
// so that the change may be one to the same plan. Offers that are too old are not read again for
// this check, because the changes that are shown still contain its result.
func isUnlisted(in *Input) bool {
	switch {
	case !comparesSpelling(in):
		return false
	case quoteFresh(in):
		return !offers(in, lastKnown(in).Plan.Value)
	}
	return decide.HasUnknown(fieldChanges(shownPlan(in, v1alpha1.OperationPlanChange), decide.FieldPlan))
}

// offers reports whether the carrier is known to offer a plan.
func offers(in *Input, name string) bool {
	for _, offer := range in.Memory.Readings.Options.Options.Plans {
		if decide.SameName(offer.Plan, name) {
			return true
		}
	}
	return false
}

// fieldChanges returns the changes of the fields that begin with prefix.
func fieldChanges(changes []v1alpha1.Change, prefix string) []v1alpha1.Change {
	var kept []v1alpha1.Change
	for _, change := range changes {
		if strings.HasPrefix(change.Field, prefix) {
			kept = append(kept, change)
		}
	}
	return kept
}
