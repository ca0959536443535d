// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func knownPlan(v *ServiceView) *v1alpha1.KnownValue {
	if v.Service.Status.Carrier == nil {
		return nil
	}
	return v.Service.Status.Carrier.Plan
}

func knownSLA(v *ServiceView) *v1alpha1.KnownValue {
	if v.Service.Status.Carrier == nil {
		return nil
	}
	return v.Service.Status.Carrier.RestorationSLA
}

// planChangeWish compares plan, term and SLA with what is known of the carrier. Plan
// and restoration SLA go in one request: "Three uses: plan change, SLA change, both"
// (spec §4). It is empty while the plan is not known: a plan is read, not requested.
func planChangeWish(v *ServiceView) wish {
	if knownPlan(v) == nil {
		return wish{}
	}
	plan, sla := planChanges(v), slaChanges(v)
	if len(plan) > 0 && !planHeld(v) && goesAhead(v, plan, sla) {
		sla = nil
	}
	w := wish{operation: v1alpha1.OperationPlanChange, changes: append(plan, sla...)}
	if planHeld(v) && len(only(w.changes, fieldPlan)) == len(w.changes) {
		return wish{} // a drift that is only reported; a request that is sent anyway carries the declared plan
	}
	w.before.Plan = knownPlan(v).Value
	w.target.Plan, w.target.Term = targetPlan(v)
	if len(sla) > 0 {
		w.target.RestorationSLA = sla[0].To
	}
	w.target.NTDOption = ntdOption(v)
	return w.orUnread(v).withPrice(v)
}

const (
	fieldPlan = "plan.name"
	fieldTerm = "plan.term"
	fieldSLA  = "restorationSLA"

	nameOfSLA = "restoration SLA" // in messages
)

// planChanges compares the declared plan. Names that differ only in case or spaces
// are the same plan: two spellings must not become a loop of paid changes.
func planChanges(v *ServiceView) []v1alpha1.Change {
	declared, known := v.Service.Spec.Plan, knownPlan(v)
	if declared == nil {
		return nil
	}
	var changes []v1alpha1.Change
	if !sameName(declared.Name, known.Value) {
		change := planChange(fieldPlan, known.Value, declared.Name)
		change.Unknown = isUnlisted(v)
		changes = append(changes, change)
	}
	// "An unknown term alone is never a reason for a change."
	if term := v.Service.Status.Carrier.Term; term != nil && term.Value != strconv.Itoa(int(declared.Term)) {
		changes = append(changes, planChange(fieldTerm, term.Value, strconv.Itoa(int(declared.Term))))
	}
	return changes
}

// goesAhead says whether a change of plan is sent without an unknown SLA: what is known is sent, and
// asked is about what is unknown. Where a person is asked about the plan anyway, it is one question.
func goesAhead(v *ServiceView, plan, sla []v1alpha1.Change) bool {
	return approvalOf(v) == v1alpha1.ApprovalAutomatic && asksWhich(v, wish{changes: sla}) && !hasUnknown(plan)
}

// slaChanges compares the declared SLA. It has no read: what is not known is requested or believed as
// unknownValues, or a person, says.
func slaChanges(v *ServiceView) []v1alpha1.Change {
	declared, known := v.Service.Spec.RestorationSLA, knownSLA(v)
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
func targetPlan(v *ServiceView) (plan string, term int32) {
	known := knownPlan(v)
	if declared := v.Service.Spec.Plan; declared != nil {
		if sameName(declared.Name, known.Value) {
			return known.Value, declared.Term
		}
		return declared.Name, declared.Term
	}
	if value := v.Service.Status.Carrier.Term; value != nil {
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

func ntdOption(v *ServiceView) string {
	if v.Service.Spec.Plan == nil {
		return ""
	}
	return v.Service.Spec.Plan.NTDOption
}
