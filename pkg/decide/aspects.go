// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// aspectsOf returns, for each declared aspect, whether the carrier's state is as declared, and for
// each observed aspect its state. Any other aspect has no condition.
func aspectsOf(in *ServiceInput, said answer) []Aspect {
	aspects := endingAspects(in, said)
	if !endedAsWanted(in) { // "nothing else is compared"
		aspects = append(aspects, valueAspects(in, said.modification)...)
	}
	for _, aspect := range []*Aspect{approvalAspect(in), driftAspect(in), healthAspect(in), disruptionAspect(in)} {
		if aspect != nil {
			aspects = append(aspects, *aspect)
		}
	}
	return aspects
}

// approvalAspect reports the change that waits for an approval, whatever else is in progress; nil
// if none does.
func approvalAspect(in *ServiceInput) *Aspect {
	if in.Account.Object == nil || in.Service.ServiceNumber() == "" {
		return nil
	}
	for _, want := range wantedNext(in) {
		if judged := judge(in, want); judged.Verdict.Reason == v1alpha1.ReasonAwaitingApproval {
			aspect := judged.Verdict.holds(v1alpha1.ConditionApprovalRequired)
			return &aspect
		}
	}
	return nil
}

// valueAspects returns the aspects of the values that modifications change.
func valueAspects(in *ServiceInput, verdict Verdict) []Aspect {
	spec, changes := in.Service.Spec, differences(desiredChanges(in))
	var aspects []Aspect
	if spec.Plan != nil {
		aspects = append(aspects, planAspect(in, changes, verdict))
	}
	for _, value := range []struct {
		declared, condition, what, field string
		known                            *v1alpha1.KnownValue
	}{
		{spec.RestorationSLA, v1alpha1.ConditionRestorationSLASynced, nameOfSLA, fieldSLA, knownSLA(in)},
		{
			spec.AggregationMethod, v1alpha1.ConditionAggregationSynced, "aggregation method",
			fieldAggregation, knownAggregation(in),
		},
		{
			spec.DSLStabilityProfile, v1alpha1.ConditionDSLProfileSynced, "DSL stability profile",
			fieldDSLProfile, knownDSLProfile(in),
		},
	} {
		if value.declared != "" {
			aspect := inSyncAspect(value.condition, howKnown(value.what, value.known))
			aspects = append(aspects, aspect.unless(only(changes, value.field), value.known, verdict))
		}
	}
	return aspects
}

func planAspect(in *ServiceInput, changes []v1alpha1.Change, verdict Verdict) Aspect {
	plan, declared := knownPlan(in), in.Service.Spec.Plan.Name
	aspect := inSyncAspect(v1alpha1.ConditionPlanSynced, howKnown("plan", plan))
	last := in.Subject.RequestOf(v1alpha1.OperationPlanChange)
	switch {
	case plan == nil:
	case planHeld(in) && !sameName(declared, plan.Value):
		aspect.Status, aspect.Reason = metav1.ConditionFalse, v1alpha1.ReasonDrifted
		aspect.Message = fmt.Sprintf(
			"the carrier moved from %q to %q after the service had converged", plan.AsHealth, plan.Value)
	case last != nil && last.Warning != "":
		aspect.Reason, aspect.Message = v1alpha1.ReasonResultDiffers, last.Warning
	case declared != plan.Value:
		aspect.Message = fmt.Sprintf(
			"the carrier spells it %q, which is taken for the same plan: nothing is changed", plan.Value)
	case plan.AsHealth != "" && !sameName(plan.AsHealth, plan.Value):
		aspect.Message += fmt.Sprintf("; health names it %q", plan.AsHealth)
	}
	return aspect.unless(only(changes, "plan."), plan, verdict)
}

// endingAspects returns the aspects of the service's cancellation and disconnection.
func endingAspects(in *ServiceInput, said answer) []Aspect {
	var aspects []Aspect
	known := knownCancellation(in)
	if in.Service.Spec.Cancellation != nil {
		aspects = append(aspects, cancellationAspect(in, known, said.cancellation))
	}
	if in.Service.Spec.Disconnection != "" {
		aspects = append(aspects, connectedAspect(in, known, said.modification))
	}
	return aspects
}

func cancellationAspect(in *ServiceInput, known *v1alpha1.CancellationState, verdict Verdict) Aspect {
	differs := cancellationDiffers(in)
	barred := cancellationBarred(in)
	aspect := inSyncAspect(v1alpha1.ConditionCancellationSynced, "the cancellation is as declared")
	switch {
	case known == nil:
		aspect.Status, aspect.Reason = metav1.ConditionUnknown, verdict.Reason
		aspect.Message = "the service's cancellation is not known yet"
	case barred != nil:
		aspect.Status, aspect.Reason, aspect.Message = metav1.ConditionFalse, barred.Reason, barred.Message
	case differs.wanted() && heldAsDrift(in, differs):
		aspect.Status, aspect.Reason = metav1.ConditionFalse, v1alpha1.ReasonDrifted
		aspect.Message = describe(differs.changes)
	case differs.wanted():
		aspect.Status, aspect.Reason, aspect.Message = metav1.ConditionFalse, verdict.Reason, describe(differs.changes)
	}
	return aspect
}

func connectedAspect(in *ServiceInput, known *v1alpha1.CancellationState, verdict Verdict) Aspect {
	aspect := Aspect{
		v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected,
		"the carrier does not show the service cancelled",
	}
	switch {
	case known == nil:
		aspect.Status, aspect.Reason = metav1.ConditionUnknown, verdict.Reason
		aspect.Message = "whether the carrier shows the service cancelled is not known yet"
	case known.Cancelled:
		aspect.Status, aspect.Reason = metav1.ConditionFalse, v1alpha1.ReasonCancelled
		aspect.Message = "the carrier shows the service cancelled since " + orElse(known.CancelledOn, "an unknown day")
		if desiredReclaim(in).wanted() {
			aspect.Reason = verdict.Reason
		}
	}
	return aspect
}

// healthAspect rates the service by the carrier's color; nil until one has been read.
func healthAspect(in *ServiceInput) *Aspect {
	health := in.Service.Status.Health
	if health == nil {
		return nil
	}
	aspect := Aspect{v1alpha1.ConditionHealthy, metav1.ConditionFalse, v1alpha1.ReasonHealthImpaired, healthWords(health)}
	switch {
	case strings.EqualFold(health.Summary, "Green"):
		aspect.Status, aspect.Reason = metav1.ConditionTrue, v1alpha1.ReasonHealthGood
	case health.Summary == "", strings.EqualFold(health.Summary, "Grey"):
		aspect.Status, aspect.Reason = metav1.ConditionUnknown, v1alpha1.ReasonHealthNotRated
	}
	return &aspect
}

func healthWords(health *v1alpha1.HealthStatus) string {
	const unrated = "not rated"
	words := fmt.Sprintf("%s: connectivity %s, performance %s, stability %s", orElse(health.Summary, unrated),
		orElse(health.Connectivity, unrated), orElse(health.Performance, unrated), orElse(health.Stability, unrated))
	if health.Alert != "" {
		words += "; alert: " + health.Alert
	}
	if health.NextAction != "" {
		words += "; next: " + health.NextAction
	}
	return words
}

// disruptionAspect reports whether an outage or maintenance is active; nil until disruptions have
// been read.
func disruptionAspect(in *ServiceInput) *Aspect {
	seen := in.Service.Status.Disruptions
	if seen == nil {
		return nil
	}
	aspect := Aspect{v1alpha1.ConditionDisrupted, metav1.ConditionFalse, v1alpha1.ReasonNoDisruption, fmt.Sprintf(
		"no disruption is active, %d scheduled", seen.Scheduled)}
	if seen.Active > 0 {
		aspect.Status, aspect.Reason = metav1.ConditionTrue, v1alpha1.ReasonDisruptionActive
		aspect.Message = fmt.Sprintf("%d active, %d scheduled: %s", seen.Active, seen.Scheduled,
			orElse(seen.Current.Description, "no more was said"))
	}
	return &aspect
}

// inSyncAspect reports a value that is as declared.
func inSyncAspect(conditionType, message string) Aspect {
	return Aspect{conditionType, metav1.ConditionTrue, v1alpha1.ReasonInSync, message}
}

// unless returns the aspect, or why it does not hold: the value differs or is unknown.
func (f Aspect) unless(differing []v1alpha1.Change, known *v1alpha1.KnownValue, verdict Verdict) Aspect {
	switch {
	case len(differing) > 0:
		f.Status, f.Reason, f.Message = metav1.ConditionFalse, verdict.Reason, describe(differing)
	case known == nil:
		f.Status, f.Reason = metav1.ConditionUnknown, verdict.Reason
	}
	return f
}

// howKnown describes the source of a value that is as declared.
func howKnown(what string, known *v1alpha1.KnownValue) string {
	switch {
	case known == nil:
		return fmt.Sprintf("the carrier's %s is not known yet", what)
	case known.Source == v1alpha1.SourceDeclared:
		return fmt.Sprintf("the %s is believed to be as declared; the carrier has never confirmed it", what)
	}
	return fmt.Sprintf("the %s is as declared (source %s)", what, known.Source)
}

func only(changes []v1alpha1.Change, prefix string) []v1alpha1.Change {
	var kept []v1alpha1.Change
	for _, change := range changes {
		if strings.HasPrefix(change.Field, prefix) {
			kept = append(kept, change)
		}
	}
	return kept
}

// describe puts changes into words: plan.name "A" → "B" (monthly 45.00 AUD → 58.00 AUD),
// restorationSLA unknown → "C".
func describe(changes []v1alpha1.Change) string {
	words := make([]string, 0, len(changes))
	for _, change := range changes {
		from := "unknown → "
		switch {
		case change.Operation == v1alpha1.OperationOrderCreate, change.Operation == v1alpha1.OperationDiagnosticTest:
			from = "" // there is no previous value
		case change.From != "":
			from = fmt.Sprintf("%q → ", change.From)
		}
		words = append(words, fmt.Sprintf("%s %s%q%s", change.Field, from, change.To, priceWords(change)))
	}
	return strings.Join(words, ", ")
}
