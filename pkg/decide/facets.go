// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// facetsOf says of each declared aspect whether the carrier's state is as declared, and
// of each observed one how it is. An aspect that is neither has no condition.
func facetsOf(v *ServiceView, said answer) []Facet {
	facets := endingFacets(v, said)
	if !endedAsWanted(v) { // "nothing else is compared"
		facets = append(facets, valueFacets(v, said.modification)...)
	}
	for _, facet := range []*Facet{approvalFacet(v), driftFacet(v), healthFacet(v), disruptionFacet(v)} {
		if facet != nil {
			facets = append(facets, *facet)
		}
	}
	return facets
}

// approvalFacet says what waits for a person to agree, whatever else goes on; nil when
// nothing does.
func approvalFacet(v *ServiceView) *Facet {
	if v.Account.Object == nil || v.Service.ServiceNumber() == "" {
		return nil
	}
	for _, w := range wantedNext(v) {
		if judged := judge(v, w); judged.Verdict.Reason == v1alpha1.ReasonAwaitingApproval {
			facet := judged.Verdict.holds(v1alpha1.ConditionApprovalRequired)
			return &facet
		}
	}
	return nil
}

// valueFacets are those of the values that modifications change.
func valueFacets(v *ServiceView, verdict Verdict) []Facet {
	spec, changes := v.Service.Spec, differences(wishes(v))
	var facets []Facet
	if spec.Plan != nil {
		facets = append(facets, planFacet(v, changes, verdict))
	}
	for _, aspect := range []struct {
		declared, condition, what, field string
		known                            *v1alpha1.KnownValue
	}{
		{spec.RestorationSLA, v1alpha1.ConditionRestorationSLASynced, nameOfSLA, fieldSLA, knownSLA(v)},
		{
			spec.AggregationMethod, v1alpha1.ConditionAggregationSynced, "aggregation method",
			fieldAggregation, knownAggregation(v),
		},
		{
			spec.DSLStabilityProfile, v1alpha1.ConditionDSLProfileSynced, "DSL stability profile",
			fieldDSLProfile, knownDSLProfile(v),
		},
	} {
		if aspect.declared != "" {
			facet := inSyncFacet(aspect.condition, howKnown(aspect.what, aspect.known))
			facets = append(facets, facet.unless(only(changes, aspect.field), aspect.known, verdict))
		}
	}
	return facets
}

func planFacet(v *ServiceView, changes []v1alpha1.Change, verdict Verdict) Facet {
	plan, declared := knownPlan(v), v.Service.Spec.Plan.Name
	facet := inSyncFacet(v1alpha1.ConditionPlanSynced, howKnown("plan", plan))
	last := v.Subject.RequestOf(v1alpha1.OperationPlanChange)
	switch {
	case plan == nil:
	case planHeld(v) && !sameName(declared, plan.Value):
		facet.Status, facet.Reason = metav1.ConditionFalse, v1alpha1.ReasonDrifted
		facet.Message = fmt.Sprintf(
			"the carrier moved from %q to %q after the service had converged", plan.AsHealth, plan.Value)
	case last != nil && last.Warning != "":
		facet.Reason, facet.Message = v1alpha1.ReasonResultDiffers, last.Warning
	case declared != plan.Value:
		facet.Message = fmt.Sprintf(
			"the carrier spells it %q, which is taken for the same plan: nothing is changed", plan.Value)
	case plan.AsHealth != "" && !sameName(plan.AsHealth, plan.Value):
		facet.Message += fmt.Sprintf("; health names it %q", plan.AsHealth)
	}
	return facet.unless(only(changes, "plan."), plan, verdict)
}

// endingFacets are those of the service's cancellation and disconnection.
func endingFacets(v *ServiceView, said answer) []Facet {
	var facets []Facet
	known := knownCancellation(v)
	if v.Service.Spec.Cancellation != nil {
		facets = append(facets, cancellationFacet(v, known, said.cancellation))
	}
	if v.Service.Spec.Disconnection != "" {
		facets = append(facets, connectedFacet(v, known, said.modification))
	}
	return facets
}

func cancellationFacet(v *ServiceView, known *v1alpha1.CancellationState, verdict Verdict) Facet {
	differs := cancellationDiffers(v)
	barred := cancellationBarred(v)
	facet := inSyncFacet(v1alpha1.ConditionCancellationSynced, "the cancellation is as declared")
	switch {
	case known == nil:
		facet.Status, facet.Reason = metav1.ConditionUnknown, verdict.Reason
		facet.Message = "the service's cancellation is not known yet"
	case barred != nil:
		facet.Status, facet.Reason, facet.Message = metav1.ConditionFalse, barred.Reason, barred.Message
	case differs.wanted() && heldAsDrift(v, differs):
		facet.Status, facet.Reason = metav1.ConditionFalse, v1alpha1.ReasonDrifted
		facet.Message = describe(differs.changes)
	case differs.wanted():
		facet.Status, facet.Reason, facet.Message = metav1.ConditionFalse, verdict.Reason, describe(differs.changes)
	}
	return facet
}

func connectedFacet(v *ServiceView, known *v1alpha1.CancellationState, verdict Verdict) Facet {
	facet := Facet{
		v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected,
		"the carrier does not show the service cancelled",
	}
	switch {
	case known == nil:
		facet.Status, facet.Reason = metav1.ConditionUnknown, verdict.Reason
		facet.Message = "whether the carrier shows the service cancelled is not known yet"
	case known.Cancelled:
		facet.Status, facet.Reason = metav1.ConditionFalse, v1alpha1.ReasonCancelled
		facet.Message = "the carrier shows the service cancelled since " + orElse(known.CancelledOn, "an unknown day")
		if reclaimWish(v).wanted() {
			facet.Reason = verdict.Reason
		}
	}
	return facet
}

// healthFacet rates the service by the carrier's color; nil while none has been read.
func healthFacet(v *ServiceView) *Facet {
	health := v.Service.Status.Health
	if health == nil {
		return nil
	}
	facet := Facet{v1alpha1.ConditionHealthy, metav1.ConditionFalse, v1alpha1.ReasonHealthImpaired, healthWords(health)}
	switch {
	case strings.EqualFold(health.Summary, "Green"):
		facet.Status, facet.Reason = metav1.ConditionTrue, v1alpha1.ReasonHealthGood
	case health.Summary == "", strings.EqualFold(health.Summary, "Grey"):
		facet.Status, facet.Reason = metav1.ConditionUnknown, v1alpha1.ReasonHealthNotRated
	}
	return &facet
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

// disruptionFacet says whether an outage or works are under way; nil while none have
// been read.
func disruptionFacet(v *ServiceView) *Facet {
	seen := v.Service.Status.Disruptions
	if seen == nil {
		return nil
	}
	facet := Facet{v1alpha1.ConditionDisrupted, metav1.ConditionFalse, v1alpha1.ReasonNoDisruption, fmt.Sprintf(
		"no disruption is active, %d scheduled", seen.Scheduled)}
	if seen.Active > 0 {
		facet.Status, facet.Reason = metav1.ConditionTrue, v1alpha1.ReasonDisruptionActive
		facet.Message = fmt.Sprintf("%d active, %d scheduled: %s", seen.Active, seen.Scheduled,
			orElse(seen.Current.Description, "no more was said"))
	}
	return &facet
}

// inSyncFacet says of a value that it is as declared.
func inSyncFacet(conditionType, message string) Facet {
	return Facet{conditionType, metav1.ConditionTrue, v1alpha1.ReasonInSync, message}
}

// unless is the facet, or why it does not hold: the value differs, or is not known.
func (f Facet) unless(differing []v1alpha1.Change, known *v1alpha1.KnownValue, verdict Verdict) Facet {
	switch {
	case len(differing) > 0:
		f.Status, f.Reason, f.Message = metav1.ConditionFalse, verdict.Reason, describe(differing)
	case known == nil:
		f.Status, f.Reason = metav1.ConditionUnknown, verdict.Reason
	}
	return f
}

// howKnown says of a value that is as declared how that is known.
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
			from = "" // there is nothing yet
		case change.From != "":
			from = fmt.Sprintf("%q → ", change.From)
		}
		words = append(words, fmt.Sprintf("%s %s%q%s", change.Field, from, change.To, priceWords(change)))
	}
	return strings.Join(words, ", ")
}
