// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// desiredPlanChange compares plan, term and SLA with the carrier's known values. Plan and
// restoration SLA are sent in one request (spec §4). The change is empty while the plan is unknown,
// because an unknown plan is read, not requested.
func desiredPlanChange(in *Input) decide.DesiredChange {
	if in.Service.LastKnown().Plan == nil {
		return decide.DesiredChange{}
	}
	plan, sla := planRow(in), slaRow(in)
	sendsPlan := len(plan) > 0 && !reportsPlanDrift(in) || differsInTerm(in)
	if sendsPlan && !reportsPlanDrift(in) && sendsWithoutSLA(in, plan, sla) {
		sla = nil
	}
	if !sendsPlan && len(sla) == 0 {
		return decide.DesiredChange{} // drift that is only reported is sent with a request for another reason
	}
	want := decide.DesiredChange{Operation: v1alpha1.OperationPlanChange}
	want.Before.Plan = in.Service.LastKnown().Plan.Value
	want.Target.Plan, want.Target.Term = targetPlan(in)
	want.Target.NTDOption = ntdOption(in)
	if len(sla) > 0 {
		want.Target.RestorationSLA = sla[0].To
	}
	want.Changes = bodyRows(in, want.Target, plan, sla)
	return withPrice(in, withNTDOption(orUnread(in, want)))
}

// bodyRows returns a row for each value of the body of a plan change that differs from what is known.
// A person approves these rows, so nothing may be in the body without them. The first row is a reason
// for the request: an unknown term or a contact alone is none.
func bodyRows(in *Input, target v1alpha1.RequestTarget, plan, sla []v1alpha1.Change) []v1alpha1.Change {
	term, contact := termRow(in, target.Term), contactRow(in, target)
	if len(plan) == 0 && !differsInTerm(in) {
		return slices.Concat(sla, term, contact)
	}
	return slices.Concat(plan, term, sla, contact)
}

// planRow compares the declared plan. Names that differ only in case or extra spaces are the same
// plan: two spellings must not cause a loop of chargeable changes.
func planRow(in *Input) []v1alpha1.Change {
	declared, known := in.Service.Spec.Plan, in.Service.LastKnown().Plan
	if declared == nil || decide.SameName(declared.Name, known.Value) {
		return nil
	}
	change := planChange(decide.FieldPlan, known.Value, declared.Name)
	change.Unknown = isUnlisted(in) ||
		isUnconfirmed(in, decide.FieldPlan) && decide.CheckSupported(&in.Input, carrier.Health) != nil
	return []v1alpha1.Change{change}
}

// differsInTerm reports whether the declared term is a reason for a change. An unknown term alone is
// none.
func differsInTerm(in *Input) bool {
	declared := in.Service.Spec.Plan
	if declared == nil {
		return false
	}
	known := comparedTerm(in)
	return known != nil && known.Value != strconv.Itoa(int(declared.Term))
}

// termRow compares the term that is sent with that of the plan that the service has. If nobody knows
// the latter, the term that is sent may be a new commitment, so it is shown and priced.
func termRow(in *Input, sent int32) []v1alpha1.Change {
	known, next := termOfPlan(in).ValueOrEmpty(), strconv.Itoa(int(sent))
	if sent == 0 || known == next {
		return nil
	}
	return []v1alpha1.Change{planChange(decide.FieldTerm, known, next)}
}

// contactOf returns where the contact of a plan change comes from. A contact is sent only with an NTD
// option, which a technician installs.
func contactOf(in *Input, target v1alpha1.RequestTarget) decide.ContactSource {
	plan := in.Service.Spec.Plan
	if plan == nil || target.NTDOption == "" {
		return decide.ContactSource{}
	}
	source := decide.ContactSource{Inline: plan.Contact}
	if plan.ContactSecretRef != nil {
		source.Secret = plan.ContactSecretRef.Name
	}
	return source
}

// contactRow says where the contact that is sent comes from, without its data.
func contactRow(in *Input, target v1alpha1.RequestTarget) []v1alpha1.Change {
	from := contactOf(in, target).Describe("spec." + decide.FieldContact)
	if from == "" {
		return nil
	}
	return []v1alpha1.Change{planChange(decide.FieldContact, "", from)}
}

// sendsWithoutSLA reports whether a plan change is sent without the SLA, because the SLA is unknown:
// the known change is sent, and a person decides about the unknown value. If the plan needs an
// approval anyway, both are approved together.
func sendsWithoutSLA(in *Input, plan, sla []v1alpha1.Change) bool {
	return approvalOf(in) == v1alpha1.ApprovalAutomatic && !decide.HasUnknown(plan) &&
		needsUnknownDecision(in, decide.DesiredChange{Changes: sla})
}

// slaRow compares the declared SLA. The carrier's documented API cannot report it, so an unknown value
// is requested or trusted, as unknownValues or a person decides.
func slaRow(in *Input) []v1alpha1.Change {
	declared, known := in.Service.Spec.RestorationSLA, in.Service.LastKnown().RestorationSLA
	if declared == "" || known != nil && decide.SameName(known.Value, declared) || onlyReportsDrift(in, decide.FieldSLA) {
		return nil
	}
	change := planChange(decide.FieldSLA, "", declared)
	change.From, change.Unknown = oldValue(in, decide.FieldSLA, known)
	return []v1alpha1.Change{change}
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

// withNTDOption names the NTD option in the first row of a plan change, because anyone who approves
// the change also buys the device (R8). It is sent with a change of the plan, and also with a
// change of the SLA alone.
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
