// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"strconv"
	"time"

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
	sendsPlan := len(plan) > 0 && !onlyReportsDrift(in, decide.FieldPlan) || differsInTerm(in)
	if sendsPlan && !onlyReportsDrift(in, decide.FieldPlan) && sendsWithoutSLA(in, plan, sla) {
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
	return withPrice(in, withNTDOption(orUnread(in, withBody(in, want))))
}

// bodyRows returns a row for each value in the body of a plan change that differs from the known
// value. A person approves these rows, so the body may contain nothing else. The first row is the
// reason for the request: an unknown term or a contact alone is not a reason.
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

// differsInTerm reports whether the declared term is a reason for a change. An unknown term alone
// is not.
func differsInTerm(in *Input) bool {
	declared := in.Service.Spec.Plan
	if declared == nil {
		return false
	}
	known := comparedTerm(in)
	return known != nil && known.Value != strconv.Itoa(int(declared.Term))
}

// termRow compares the term that is sent with the term of the present plan. If the latter is
// unknown, the sent term may be a new commitment, so it is shown and priced.
func termRow(in *Input, sent int32) []v1alpha1.Change {
	known, next := TermOfPlan(in.Service.LastKnown()).ValueOrEmpty(), strconv.Itoa(int(sent))
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

func contactRow(in *Input, target v1alpha1.RequestTarget) []v1alpha1.Change {
	from := contactOf(in, target).Describe("spec." + decide.FieldContact)
	if from == "" {
		return nil
	}
	return []v1alpha1.Change{planChange(decide.FieldContact, "", from)}
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
	if value := TermOfPlan(in.Service.LastKnown()); value != nil {
		parsed, err := strconv.ParseInt(value.Value, 10, 32)
		if err == nil {
			term = int32(parsed)
		}
	}
	return known.Value, term
}

// comparedTerm returns the known term to compare with the declared term: that of the present plan
// or, if the carrier has replaced the declared plan, the term that the service had there. It is
// nil if neither is known.
func comparedTerm(in *Input) *v1alpha1.KnownValue {
	state := in.Service.LastKnown()
	if state.Term != nil && decide.SameName(state.Term.Plan, in.Service.Spec.Plan.Name) {
		return state.Term
	}
	return TermOfPlan(state)
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

// desiredChanges returns the modifications that are needed, in the order in which they are sent.
// They are sent one at a time, because the carrier takes none while another one is in progress.
func desiredChanges(in *Input) []decide.DesiredChange {
	if endedAsWanted(in) {
		return nil
	}
	aggregation, profile := in.Service.Spec.AggregationMethod, in.Service.Spec.DSLStabilityProfile
	wanted := []decide.DesiredChange{
		desiredReclaim(in), // a disconnected service accepts no other modification
		desiredPlanChange(in),
		desiredUnreadable(in, fieldAggregation, v1alpha1.RequestTarget{AggregationMethod: aggregation}),
		desiredUnreadable(in, fieldDSLProfile, v1alpha1.RequestTarget{DSLStabilityProfile: profile}),
	}
	return slices.DeleteFunc(wanted, func(want decide.DesiredChange) bool { return !want.Wanted() })
}

func endedAsWanted(in *Input) bool {
	declared := in.Service.Spec.Cancellation
	return declared != nil && declared.Mode == v1alpha1.CancellationOnDate && isCancelled(in)
}

func isCancelled(in *Input) bool {
	known := in.Service.LastKnown().Cancellation
	return known != nil && known.Cancelled
}

func desiredReclaim(in *Input) decide.DesiredChange {
	if in.Service.Spec.Disconnection != v1alpha1.DisconnectionReclaim || !isCancelled(in) {
		return decide.DesiredChange{}
	}
	want := withBody(in, decide.DesiredChange{Operation: v1alpha1.OperationReclaim, Changes: []v1alpha1.Change{{
		Operation: v1alpha1.OperationReclaim, Field: fieldDisconnection, From: "cancelled", To: "connected",
	}}})
	return orUnread(in, want)
}

// desiredUnreadable compares a declared value that the carrier's documented API cannot report. An
// unknown value is requested or trusted, as unknownValues or a person decides.
func desiredUnreadable(in *Input, field string, target v1alpha1.RequestTarget) decide.DesiredChange {
	state := in.Service.LastKnown()
	for _, value := range unreadValues(in, &state) {
		known := *value.known
		if value.field != field || decide.SameName(known.ValueOrEmpty(), value.declared) || onlyReportsDrift(in, field) {
			continue
		}
		change := v1alpha1.Change{Operation: value.operation, Field: field, To: value.declared}
		change.From, change.Unknown = oldValue(in, field, known)
		want := decide.DesiredChange{Operation: change.Operation, Target: target, Changes: []v1alpha1.Change{change}}
		return withBody(in, want)
	}
	return decide.DesiredChange{}
}

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

func approvalOf(in *Input) v1alpha1.Approval {
	return decide.ApprovalPolicy(&in.Input, in.Service.Spec.Approval)
}

func withBody(in *Input, want decide.DesiredChange) decide.DesiredChange {
	want.Body = Body(want.Operation, in.Service.ServiceNumber(), want.Target, v1alpha1.Contact{})
	return want
}

// Body builds the body of a request from its target, which has no contact data, and the contact. It
// returns nil for an operation that is not about a service, and the client sends no such body.
func Body(
	operation v1alpha1.Operation, service v1alpha1.CarrierID, target v1alpha1.RequestTarget, to v1alpha1.Contact,
) (body []byte) {
	id := service.Number()
	switch operation {
	case v1alpha1.OperationPlanChange:
		body = planChangeRequest(service, target, to).Body()
	case v1alpha1.OperationAggregationConversion:
		method := carrier.AggregationMethod(target.AggregationMethod)
		body = carrier.AggregationConversionRequest{ServiceID: id, AggregationMethod: method}.Body()
	case v1alpha1.OperationDSLStabilityProfileChange:
		profile := carrier.DSLStabilityProfile(target.DSLStabilityProfile)
		body = carrier.DSLStabilityProfileChangeRequest{ServiceID: id, DSLStabilityProfile: profile}.Body()
	case v1alpha1.OperationReclaim:
		body = carrier.ReclaimRequest{ServiceID: id}.Body()
	case v1alpha1.OperationCancellationReschedule:
		body = carrier.CancellationRescheduleRequest{ServiceID: id, CancellationDate: target.Date}.Body()
	case v1alpha1.OperationCancellationAbort:
		body = carrier.CancellationAbortRequest{ServiceID: id}.Body()
	case v1alpha1.OperationOrderCreate, v1alpha1.OperationAppointmentSlots, v1alpha1.OperationAppointmentCancel,
		v1alpha1.OperationDiagnosticTest, v1alpha1.OperationFibreBuildCharge, v1alpha1.OperationPlanOptions,
		v1alpha1.OperationHealth:
	}
	return body
}

func planChangeRequest(
	service v1alpha1.CarrierID, target v1alpha1.RequestTarget, to v1alpha1.Contact,
) carrier.PlanChangeRequest {
	return carrier.PlanChangeRequest{
		ServiceID: service.Number(), PlanName: target.Plan, Term: int(target.Term),
		RestorationSLA: target.RestorationSLA, NTDOption: target.NTDOption,
		ContactName: to.Name, ContactPhone: to.Phone, ContactEmail: to.Email,
	}
}

// A plan read from health has drifted if its name differs from AsHealth, set by recordPlan. A value
// shown by the description of the service has drifted if it has DriftedFrom, set by
// knownAfterReading. A cancellation has drifted if it differs from Agreed, set by recordAgreement.

// correctEvery is the least time between two corrections of drift, so that two systems that correct
// each other do not buy a plan every few minutes.
const correctEvery = 24 * time.Hour

// corrects reports whether drift is corrected now. An attempt that is open is the correction itself.
func corrects(in *Input, operation v1alpha1.Operation) bool {
	last := decide.ReachedOf(&in.Input, operation)
	sent := last != nil && last.Phase.Ended() && !decide.IsAutoRetried(last.Phase)
	due := !sent || !in.Now.Before(in.Past(last.SubmittedAt).Add(correctEvery))
	return in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect && due
}

// onlyReportsDrift reports whether the value of a field has drifted, by the description of the service
// or, if it is the plan, by health, and the drift is only reported.
func onlyReportsDrift(in *Input, field string) bool {
	for _, value := range drifted(in) {
		if value.field == field && !corrects(in, value.operation) {
			return true
		}
	}
	return field == decide.FieldPlan && onlyReportsPlanDrift(in)
}

// onlyReportsPlanDrift reports whether the plan has drifted after the service had the declared plan,
// and the drift is only reported.
func onlyReportsPlanDrift(in *Input) bool {
	plan, declared := in.Service.LastKnown().Plan, in.Service.Spec.Plan
	if !planDrifted(plan) || declared == nil {
		return false
	}
	base := in.Ledger.Baseline()
	converged := decide.SameName(declared.Name, plan.AsHealth) || decide.SameName(declared.Name, sentPlan(in)) ||
		base != nil && base.AsHealth == plan.AsHealth && decide.SameName(declared.Name, base.Value)
	return converged && !corrects(in, v1alpha1.OperationPlanChange)
}

func sentPlan(in *Input) string {
	last := decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if last == nil || last.Phase != v1alpha1.PhaseSucceeded {
		return ""
	}
	return last.Target.Plan
}

func drifted(in *Input) []describedValue {
	state := in.Service.LastKnown()
	return slices.DeleteFunc(describedValues(in, &state), func(value describedValue) bool {
		return *value.known == nil || (*value.known).DriftedFrom == ""
	})
}

// sendsWithoutSLA reports whether a person decides about an unknown SLA, while the known change is
// sent. If the plan needs an approval anyway, both are approved together.
func sendsWithoutSLA(in *Input, plan, sla []v1alpha1.Change) bool {
	return approvalOf(in) == v1alpha1.ApprovalAutomatic && !decide.HasUnknown(plan) &&
		needsUnknownDecision(in, decide.DesiredChange{Changes: sla})
}

func ntdOption(in *Input) string {
	if in.Service.Spec.Plan == nil {
		return ""
	}
	return in.Service.Spec.Plan.NTDOption
}
