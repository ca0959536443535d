// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// correctEvery implements driftPolicy: "Correct acts at most once in 24 h".
const correctEvery = 24 * time.Hour

// statusPrecision is the precision of the times in a status.
const statusPrecision = time.Second

// planDrifted reports drift: "drift is health differing from what health itself said after that
// success". A drifted plan is recorded as health reports it now, together with what health reported
// before.
func planDrifted(state *v1alpha1.CarrierState) bool {
	return state != nil && state.Plan != nil && state.Plan.Source == v1alpha1.SourceHealth &&
		state.Plan.AsHealth != "" && state.Plan.Value != state.Plan.AsHealth
}

// absorbPlan records the plan that a health request returned. "After our own success the baseline
// is the plan we sent", and health's name for it is learned from the first reading requested after
// it. From then on another name is drift. The declared plan is never learned as another plan's
// name. A plan is known since the time at which the carrier was asked.
func absorbPlan(in *ServiceInput, state *v1alpha1.CarrierState, plan string, askedAt time.Time) {
	accept(in, state)
	held := state.Plan
	switch {
	case held == nil:
		state.Plan = known(plan, v1alpha1.SourceHealth, askedAt)
		state.Plan.AsHealth = plan
	case askedAt.Before(in.past(held.Since).Add(statusPrecision)):
	case cameTo(in, held, plan, askedAt) != nil:
		state.Plan = cameTo(in, held, plan, askedAt)
	case planDrifted(state) && plan == held.AsHealth:
		state.Plan = known(plan, v1alpha1.SourceHealth, askedAt)
		state.Plan.AsHealth = plan
	case held.AsHealth == "":
		held.AsHealth = plan
	case plan != held.AsHealth:
		moved(in, state, plan, askedAt)
	}
}

// cameTo returns the declared plan if the carrier has changed to it without our request, otherwise
// nil. "Reading equals target, or equals baseline.asHealth while the target is baseline.plan:
// nothing to do" (R7).
func cameTo(in *ServiceInput, held *v1alpha1.KnownValue, plan string, askedAt time.Time) *v1alpha1.KnownValue {
	declared := in.Service.Spec.Plan
	if declared == nil || sameName(declared.Name, held.Value) {
		return nil
	}
	found := known(plan, v1alpha1.SourceHealth, askedAt)
	found.AsHealth = plan
	if sameName(declared.Name, plan) {
		return found
	}
	if base := baselineOf(in); base != nil && base.AsHealth == plan && sameName(declared.Name, base.Value) {
		found.Value, found.Source = base.Value, base.Source
		return found
	}
	return nil
}

// baselineOf returns the plan last applied to the service; nil if none is recorded.
func baselineOf(in *ServiceInput) *v1alpha1.KnownValue {
	if in.Ledger == nil {
		return nil
	}
	return in.Ledger.Spec.Baseline
}

// accept makes a drifted plan the baseline once the spec names it: the service then counts as
// converged to it.
func accept(in *ServiceInput, state *v1alpha1.CarrierState) {
	declared := in.Service.Spec.Plan
	if planDrifted(state) && declared != nil && sameName(declared.Name, state.Plan.Value) {
		state.Plan.AsHealth = state.Plan.Value
	}
}

// moved records a plan to which the carrier has changed.
func moved(in *ServiceInput, state *v1alpha1.CarrierState, plan string, askedAt time.Time) {
	baseline := state.Plan.AsHealth
	if state.Plan.Value != plan || state.Plan.Source != v1alpha1.SourceHealth {
		state.Plan = known(plan, v1alpha1.SourceHealth, askedAt)
	}
	state.Plan.AsHealth = baseline
	accept(in, state)
}

// sentPlan returns the plan of our last success; "" if there is none.
func sentPlan(in *ServiceInput) string {
	last := reachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if last == nil || last.Phase != v1alpha1.PhaseSucceeded {
		return ""
	}
	return last.Target.Plan
}

// planHeld reports whether a plan that differs is drift that is only reported: the service had
// converged to the declared plan.
func planHeld(in *ServiceInput) bool {
	state, declared := in.Service.Status.Carrier, in.Service.Spec.Plan
	if !planDrifted(state) || declared == nil {
		return false
	}
	base := baselineOf(in)
	converged := sameName(declared.Name, state.Plan.AsHealth) || sameName(declared.Name, sentPlan(in)) ||
		base != nil && base.AsHealth == state.Plan.AsHealth && sameName(declared.Name, base.Value)
	return converged && !corrects(in, v1alpha1.OperationPlanChange)
}

// corrects reports whether drift is corrected now.
func corrects(in *ServiceInput, operation v1alpha1.Operation) bool {
	last := reachedOf(&in.Input, operation)
	sent := last != nil && !goesAgain(last.Phase)
	due := !sent || !in.Now.Before(in.past(last.SubmittedAt).Add(correctEvery))
	return in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect && due
}

// movedAway reports whether the carrier's cancellation was as declared at some time.
func movedAway(in *ServiceInput) bool {
	known := knownCancellation(in)
	return known != nil && known.Agreed == declaredEnding(in)
}

// heldAsDrift reports whether a cancellation that differs is drift that is only reported.
func heldAsDrift(in *ServiceInput, want desiredChange) bool {
	return movedAway(in) && !corrects(in, want.operation)
}

// correctsAt returns when reported drift may be corrected; zero if there is none.
func correctsAt(in *ServiceInput) time.Time {
	var at time.Time
	if in.Service.Spec.DriftPolicy != v1alpha1.DriftCorrect {
		return at
	}
	held := []v1alpha1.Operation{}
	if planHeld(in) {
		held = append(held, v1alpha1.OperationPlanChange)
	}
	if want := cancellationDiffers(in); want.wanted() && heldAsDrift(in, want) {
		held = append(held, want.operation)
	}
	for _, operation := range held {
		if last := reachedOf(&in.Input, operation); last != nil {
			at = earlier(at, in.past(last.SubmittedAt).Add(correctEvery))
		}
	}
	return at
}

// planDrift reports a drifted plan as not in sync, although nothing is sent.
func planDrift(in *ServiceInput) *Decision {
	if onlyObserves(in) || !planHeld(in) {
		return nil
	}
	return driftDecision(in)
}

// cancellationDrift does the same for the cancellation.
func cancellationDrift(in *ServiceInput) *Decision {
	want := cancellationDiffers(in)
	if onlyObserves(in) || !want.wanted() || !heldAsDrift(in, want) {
		return nil
	}
	return driftDecision(in)
}

// driftDecision is Stuck if a person has to decide, and Working if the policy corrects the drift.
func driftDecision(in *ServiceInput) *Decision {
	aspect := driftAspect(in)
	if aspect == nil {
		return nil
	}
	if in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		return working(aspect.Reason, aspect.Message)
	}
	return stuck(aspect.Reason, aspect.Message)
}

// driftAspect describes the drift, with old and new values; nil if there is none.
func driftAspect(in *ServiceInput) *Aspect {
	var words []string
	if plan, declared := knownPlan(in), in.Service.Spec.Plan; declared != nil &&
		planDrifted(in.Service.Status.Carrier) && !sameName(declared.Name, plan.Value) {
		words = append(words, fmt.Sprintf("plan.name %q → %q", plan.AsHealth, plan.Value))
	}
	if want := cancellationDiffers(in); want.wanted() && movedAway(in) {
		words = append(words, fmt.Sprintf("%s %q → %q", fieldCancellation, want.changes[0].To, want.changes[0].From))
	}
	if len(words) == 0 {
		return nil
	}
	policy := "nothing is sent. To keep what the carrier has, declare it in spec; to have it changed back, set " +
		"driftPolicy: Correct"
	if in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		policy = "driftPolicy is Correct: it is changed back, at most once in 24 hours"
	}
	return &Aspect{v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted, fmt.Sprintf(
		"the carrier moved away after the service had converged: %s; %s", strings.Join(words, ", "), policy)}
}
