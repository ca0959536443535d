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

// desiredPlanChange compares plan, term and SLA with what is known of the carrier. Plan
// and restoration SLA go in one request: "Three uses: plan change, SLA change, both"
// (spec §4). It is empty while the plan is not known: a plan is read, not requested.
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
		return desiredChange{} // a drift that is only reported; a request that is sent anyway carries the declared plan
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

// planChanges compares the declared plan. Names that differ only in case or spaces
// are the same plan: two spellings must not become a loop of paid changes.
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

// goesAhead says whether a change of plan is sent without an unknown SLA: what is known is sent, and
// asked is about what is unknown. Where a person is asked about the plan anyway, it is one question.
func goesAhead(in *ServiceInput, plan, sla []v1alpha1.Change) bool {
	return approvalOf(in) == v1alpha1.ApprovalAutomatic && asksWhich(in, desiredChange{changes: sla}) && !hasUnknown(plan)
}

// slaChanges compares the declared SLA. It has no read: what is not known is requested or believed as
// unknownValues, or a person, says.
func slaChanges(in *ServiceInput) []v1alpha1.Change {
	declared, known := in.Service.Spec.RestorationSLA, knownSLA(in)
	if declared == "" || known != nil && known.Value == declared {
		return nil
	}
	change := planChange(fieldSLA, valueOf(known), declared)
	change.Unknown = known == nil
	return []v1alpha1.Change{change}
}

// targetPlan is the plan and term to send: the declared ones, in the carrier's
// spelling where the plan stays. Without a declared plan the SLA goes with the
// current one; term 0 then means that it is not known.
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

// sameName compares plan names as a person does.
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
