// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// wish is what one plan-change request would bring about. Plan and restoration SLA
// go in one request: "Three uses: plan change, SLA change, both" (spec §4).
type wish struct {
	plan    string
	term    int32
	sla     string // "" leaves the SLA as it is
	changes []v1alpha1.Change
}

func (w wish) wanted() bool { return len(w.changes) > 0 }

// planChangeWish compares plan, term and SLA with what is known of the carrier. It
// is empty while the plan is not known: unknown is not equal, but a plan is read,
// not requested.
func planChangeWish(v *View) wish {
	if knownPlan(v) == nil {
		return wish{}
	}
	var w wish
	w.changes = append(planChanges(v), slaChanges(v)...)
	if !w.wanted() {
		return wish{}
	}
	w.plan, w.term = targetPlan(v)
	w.sla = targetSLA(v)
	return w
}

// planChanges compares the declared plan. Names that differ only in case or spaces
// are the same plan: two spellings must not become a loop of paid changes.
func planChanges(v *View) []v1alpha1.Change {
	declared, known := v.Service.Spec.Plan, knownPlan(v)
	if declared == nil {
		return nil
	}
	var changes []v1alpha1.Change
	if !sameName(declared.Name, known.Value) {
		changes = append(changes, change("plan.name", known.Value, declared.Name))
	}
	// "An unknown term alone is never a reason for a change."
	if term := v.Service.Status.Carrier.Term; term != nil && term.Value != strconv.Itoa(int(declared.Term)) {
		changes = append(changes, change("plan.term", term.Value, strconv.Itoa(int(declared.Term))))
	}
	return changes
}

// slaChanges compares the declared SLA. It has no read: what is not known is
// requested once.
func slaChanges(v *View) []v1alpha1.Change {
	declared, known := v.Service.Spec.RestorationSLA, knownSLA(v)
	if declared == "" || known != nil && known.Value == declared {
		return nil
	}
	from := ""
	if known != nil {
		from = known.Value
	}
	return []v1alpha1.Change{change("restorationSLA", from, declared)}
}

func change(field, from, to string) v1alpha1.Change {
	return v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: field, From: from, To: to}
}

// targetPlan is the plan and term to send: the declared ones, in the carrier's
// spelling where the plan stays. Without a declared plan the SLA goes with the
// current one; term 0 then means that it is not known.
func targetPlan(v *View) (plan string, term int32) {
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

func targetSLA(v *View) string {
	if len(slaChanges(v)) == 0 {
		return ""
	}
	return v.Service.Spec.RestorationSLA
}

// sameName compares plan names as a person does.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// request builds the body, contact apart.
func (w wish) request(v *View) carrier.PlanChangeRequest {
	return carrier.PlanChangeRequest{
		ServiceID:      *v.Service.Spec.ServiceID,
		PlanName:       w.plan,
		Term:           int(w.term),
		RestorationSLA: w.sla,
		NTDOption:      ntdOption(v),
	}
}

func ntdOption(v *View) string {
	if v.Service.Spec.Plan == nil {
		return ""
	}
	return v.Service.Spec.Plan.NTDOption
}

// intent is the request as it is written before it is sent.
func (w wish) intent(v *View) v1alpha1.Request {
	return v1alpha1.Request{
		Operation:  v1alpha1.OperationPlanChange,
		Attempt:    attemptNumber(v, w),
		Target:     v1alpha1.RequestTarget{Plan: w.plan, Term: w.term, RestorationSLA: w.sla, NTDOption: ntdOption(v)},
		Before:     v1alpha1.RequestBefore{Plan: knownPlan(v).Value},
		Identity:   v.Account.Object.IdentityName(),
		BaseURL:    v.Account.Object.Spec.BaseURL,
		Generation: v.Service.Generation,
		BodyHash:   bodyHash(w.request(v)),
		Phase:      v1alpha1.PhaseSubmitting,
		APIVersion: v.Account.Object.Spec.APIVersion,
	}
}

// attemptNumber counts attempts at the same wish of the same generation.
func attemptNumber(v *View, w wish) int32 {
	last := v.Service.RequestOf(v1alpha1.OperationPlanChange)
	if last == nil || last.Generation != v.Service.Generation || last.BodyHash != bodyHash(w.request(v)) {
		return 1
	}
	if last.Phase == v1alpha1.PhaseSucceeded {
		return 1
	}
	return last.Attempt + 1
}
