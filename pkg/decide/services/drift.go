// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A plan that is read from health has drifted if its name differs from AsHealth, which recordPlan
// sets. A value that the description of the service shows has drifted if it has DriftedFrom, which
// described (description.go) sets. A cancellation has drifted if it differs from Agreed, which
// recordAgreement sets.

// correctEvery is the least time between two corrections of drift, so that two systems that correct
// each other do not buy a plan every few minutes.
const correctEvery = 24 * time.Hour

// recordPlan records the plan that a health request returned. After a success of ours, the baseline
// is the plan that was sent, and the first reading requested after that success shows the name that
// health uses for this plan. From then on, any other name is drift. The declared name is never
// recorded as health's name for another plan. A plan counts as known from the time at which its
// reading was requested.
func recordPlan(in *Input, state *v1alpha1.CarrierState, plan string, askedAt time.Time) {
	acceptDrift(in, state)
	held := state.Plan
	switch {
	case held == nil:
		state.Plan = knownValue(plan, v1alpha1.SourceHealth, askedAt)
		state.Plan.AsHealth = plan
	case askedAt.Before(in.Past(held.Since).Add(decide.StatusPrecision)):
	case declaredPlanReached(in, held, plan, askedAt) != nil:
		state.Plan = declaredPlanReached(in, held, plan, askedAt)
	case planDrifted(state.Plan) && plan == held.AsHealth:
		state.Plan = knownValue(plan, v1alpha1.SourceHealth, askedAt)
		state.Plan.AsHealth = plan
	case held.AsHealth == "":
		held.AsHealth = plan
	case plan != held.AsHealth:
		recordPlanDrift(in, state, plan, askedAt)
	}
}

// declaredPlanReached returns the declared plan if the carrier has changed to it without our
// request, otherwise nil. There is nothing to do then (R7).
func declaredPlanReached(in *Input, held *v1alpha1.KnownValue, plan string, askedAt time.Time) *v1alpha1.KnownValue {
	declared := in.Service.Spec.Plan
	if declared == nil || decide.SameName(declared.Name, held.Value) {
		return nil
	}
	found := knownValue(plan, v1alpha1.SourceHealth, askedAt)
	found.AsHealth = plan
	if decide.SameName(declared.Name, plan) {
		return found
	}
	if base := in.Ledger.Baseline(); base != nil && base.AsHealth == plan && decide.SameName(declared.Name, base.Value) {
		found.Value, found.Source = base.Value, base.Source
		return found
	}
	return nil
}

// acceptDrift makes a drifted plan the baseline once the spec names it: the service then counts as
// converged to it.
func acceptDrift(in *Input, state *v1alpha1.CarrierState) {
	declared := in.Service.Spec.Plan
	if planDrifted(state.Plan) && declared != nil && decide.SameName(declared.Name, state.Plan.Value) {
		state.Plan.AsHealth = state.Plan.Value
	}
}

// recordPlanDrift records a plan to which the carrier has changed.
func recordPlanDrift(in *Input, state *v1alpha1.CarrierState, plan string, askedAt time.Time) {
	baseline := state.Plan.AsHealth
	if state.Plan.Value != plan || state.Plan.Source != v1alpha1.SourceHealth {
		state.Plan = knownValue(plan, v1alpha1.SourceHealth, askedAt)
	}
	state.Plan.AsHealth = baseline
	acceptDrift(in, state)
}

// sentPlan returns the plan of our last success; "" if there is none.
func sentPlan(in *Input) string {
	last := decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if last == nil || last.Phase != v1alpha1.PhaseSucceeded {
		return ""
	}
	return last.Target.Plan
}

// planDrifted reports drift: health shows another plan than after our last success. A drifted plan
// is recorded as health reports it now, together with what health reported before.
func planDrifted(plan *v1alpha1.KnownValue) bool {
	return plan != nil && plan.Source == v1alpha1.SourceHealth &&
		plan.AsHealth != "" && plan.Value != plan.AsHealth
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

// reportsPlanDrift reports whether a plan has drifted, by the description of the service or by health,
// and the drift is only reported.
func reportsPlanDrift(in *Input) bool {
	return onlyReportsDrift(in, decide.FieldPlan) || onlyReportsPlanDrift(in)
}

// corrects reports whether drift is corrected now. An attempt that is open is the correction itself.
func corrects(in *Input, operation v1alpha1.Operation) bool {
	last := decide.ReachedOf(&in.Input, operation)
	sent := last != nil && last.Phase.Ended() && !decide.IsAutoRetried(last.Phase)
	due := !sent || !in.Now.Before(in.Past(last.SubmittedAt).Add(correctEvery))
	return in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect && due
}

// correctsAt returns when drift that is only reported until then may be corrected; zero if there is
// none, or if the policy does not correct it.
func correctsAt(in *Input) time.Time {
	var at time.Time
	if in.Service.Spec.DriftPolicy != v1alpha1.DriftCorrect {
		return at
	}
	held := []v1alpha1.Operation{}
	if onlyReportsPlanDrift(in) {
		held = append(held, v1alpha1.OperationPlanChange)
	}
	for _, value := range drifted(in) {
		if !corrects(in, value.operation) {
			held = append(held, value.operation)
		}
	}
	if want := in.wanted.cancellation; want.Wanted() && onlyReportsCancellationDrift(in, want) {
		held = append(held, want.Operation)
	}
	for _, operation := range held {
		if last := decide.ReachedOf(&in.Input, operation); last != nil {
			at = decide.Earlier(at, in.Past(last.SubmittedAt).Add(correctEvery))
		}
	}
	return at
}

// driftDecision is Stuck if a person has to decide, and Working if the policy corrects the drift.
func driftDecision(in *Input) *decide.Decision {
	aspect := driftAspect(in)
	if aspect == nil {
		return nil
	}
	if in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		return decide.RestWorking(aspect.Reason, aspect.Message)
	}
	return decide.RestStuck(aspect.Reason, aspect.Message)
}

// driftAspect describes the drift, with old and new values; nil if there is none.
func driftAspect(in *Input) *decide.Aspect {
	var words []string
	if plan, declared := in.Service.LastKnown().Plan, in.Service.Spec.Plan; declared != nil &&
		planDrifted(plan) && !decide.SameName(declared.Name, plan.Value) {
		words = append(words, fmt.Sprintf("plan.name %q → %q", plan.AsHealth, plan.Value))
	}
	for _, value := range drifted(in) {
		words = append(words, fmt.Sprintf("%s %q → %q", value.field, (*value.held).DriftedFrom, (*value.held).Value))
	}
	if want := in.wanted.cancellation; want.Wanted() && cancellationWasAgreed(in) {
		words = append(words, fmt.Sprintf("%s %q → %q", fieldCancellation, want.Changes[0].To, want.Changes[0].From))
	}
	if len(words) == 0 {
		return nil
	}
	policy := "nothing is sent. To keep the carrier's value, declare it in spec; to change it back, set " +
		"driftPolicy: Correct"
	if in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		policy = "driftPolicy is Correct: it is changed back at most once in 24 hours, subject to approval, suspend " +
			"and managementPolicy"
	}
	return &decide.Aspect{
		Type: v1alpha1.ConditionDrifted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonDrifted,
		Message: fmt.Sprintf(
			"the carrier's state changed after the service was in sync: %s; %s", strings.Join(words, ", "), policy),
	}
}

// forgetAcceptedDrift drops the value that the service had before it drifted, once the spec no longer
// declares that value: from then on, the drifted one counts as any other.
func forgetAcceptedDrift(in *Input) {
	state := in.Service.Status.Carrier
	if state == nil {
		return
	}
	for _, value := range describedValues(in, state) {
		held := *value.held
		if held != nil && held.DriftedFrom != "" && !decide.SameName(held.DriftedFrom, value.declared) {
			held.DriftedFrom = ""
		}
	}
}

// forgetReplacedTerm drops the term of the previous plan once the spec declares the plan to which the
// carrier has changed. If the service returns to the previous plan, it may have another term there.
func forgetReplacedTerm(in *Input) {
	state, declared := in.Service.Status.Carrier, in.Service.Spec.Plan
	if state == nil || state.Plan == nil || declared == nil || !decide.SameName(declared.Name, state.Plan.Value) {
		return
	}
	state.Term = TermOfPlan(state)
}

// drifted returns the values that the carrier has changed after the service was in sync.
func drifted(in *Input) []describedValue {
	var values []describedValue
	state := in.Service.LastKnown()
	for _, value := range describedValues(in, &state) {
		if held := *value.held; held != nil && held.DriftedFrom != "" {
			values = append(values, value)
		}
	}
	return values
}

// onlyReportsDrift reports whether the value of a field has drifted by the description of the service
// and the drift is only reported.
func onlyReportsDrift(in *Input, field string) bool {
	for _, value := range drifted(in) {
		if value.field == field {
			return !corrects(in, value.operation)
		}
	}
	return false
}
