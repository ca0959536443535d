// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func knownPlan(in *ServiceInput) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.Plan
}

func knownSLA(in *ServiceInput) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.RestorationSLA
}

// desiredPlanChange compares plan, term and SLA with the carrier's known values. Plan and
// restoration SLA are sent in one request: "Three uses: plan change, SLA change, both" (spec §4).
// It is empty while the plan is unknown: a plan is read, not requested.
func desiredPlanChange(in *ServiceInput) desiredChange {
	if knownPlan(in) == nil {
		return desiredChange{}
	}
	plan, sla := planChanges(in), slaChanges(in)
	if len(plan) > 0 && !planHeld(in) && goesAhead(in, plan, sla) {
		sla = nil
	}
	want := desiredChange{operation: v1alpha1.OperationPlanChange, changes: append(plan, sla...)}
	if planHeld(in) && len(only(want.changes, fieldPlan)) == len(want.changes) {
		return desiredChange{} // drift that is only reported; a request sent for another reason includes the declared plan
	}
	want.before.Plan = knownPlan(in).Value
	want.target.Plan, want.target.Term = targetPlan(in)
	if len(sla) > 0 {
		want.target.RestorationSLA = sla[0].To
	}
	want.target.NTDOption = ntdOption(in)
	return want.orUnread(in).withPrice(in)
}

const (
	fieldPlan = "plan.name"
	fieldTerm = "plan.term"
	fieldSLA  = "restorationSLA"

	nameOfSLA = "restoration SLA" // in messages
)

// planChanges compares the declared plan. Names that differ only in case or spaces are the same
// plan: two spellings must not cause a loop of chargeable changes.
func planChanges(in *ServiceInput) []v1alpha1.Change {
	declared, known := in.Service.Spec.Plan, knownPlan(in)
	if declared == nil {
		return nil
	}
	var changes []v1alpha1.Change
	if !sameName(declared.Name, known.Value) {
		change := planChange(fieldPlan, known.Value, declared.Name)
		change.Unknown = isUnlisted(in)
		changes = append(changes, change)
	}
	// "An unknown term alone is never a reason for a change."
	if term := in.Service.Status.Carrier.Term; term != nil && term.Value != strconv.Itoa(int(declared.Term)) {
		changes = append(changes, planChange(fieldTerm, term.Value, strconv.Itoa(int(declared.Term))))
	}
	return changes
}

// goesAhead reports whether a plan change is sent without an unknown SLA: the known change is sent,
// and a person decides about the unknown value. If the plan needs an approval anyway, both are one
// question.
func goesAhead(in *ServiceInput, plan, sla []v1alpha1.Change) bool {
	return approvalOf(in) == v1alpha1.ApprovalAutomatic && asksWhich(in, desiredChange{changes: sla}) && !hasUnknown(plan)
}

// slaChanges compares the declared SLA. The carrier has no read for it: an unknown value is
// requested or trusted, as unknownValues or a person decides.
func slaChanges(in *ServiceInput) []v1alpha1.Change {
	declared, known := in.Service.Spec.RestorationSLA, knownSLA(in)
	if declared == "" || known != nil && known.Value == declared {
		return nil
	}
	change := planChange(fieldSLA, valueOf(known), declared)
	change.Unknown = known == nil
	return []v1alpha1.Change{change}
}

// targetPlan returns the plan and term to send: the declared ones, in the carrier's spelling if the
// plan stays the same. Without a declared plan, the SLA is sent with the current plan; term 0 then
// means unknown.
func targetPlan(in *ServiceInput) (plan string, term int32) {
	known := knownPlan(in)
	if declared := in.Service.Spec.Plan; declared != nil {
		if sameName(declared.Name, known.Value) {
			return known.Value, declared.Term
		}
		return declared.Name, declared.Term
	}
	if value := in.Service.Status.Carrier.Term; value != nil {
		parsed, err := strconv.ParseInt(value.Value, 10, 32)
		if err == nil {
			term = int32(parsed)
		}
	}
	return known.Value, term
}

// sameName compares plan names without regard to case and spaces.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

func planChange(field, from, to string) v1alpha1.Change {
	return v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: field, From: from, To: to}
}

func ntdOption(in *ServiceInput) string {
	if in.Service.Spec.Plan == nil {
		return ""
	}
	return in.Service.Spec.Plan.NTDOption
}
