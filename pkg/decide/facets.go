// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// facetsOf says of each declared aspect whether the carrier's state is as declared.
// An aspect that is not declared has no condition.
func facetsOf(v *View, changes []v1alpha1.Change, verdict Verdict) []Facet {
	var facets []Facet
	if v.Service.Spec.Plan != nil {
		facets = append(facets, planFacet(v, changes, verdict))
	}
	if v.Service.Spec.RestorationSLA != "" {
		facets = append(facets, slaFacet(v, changes, verdict))
	}
	if v.Service.Spec.AggregationMethod != "" {
		facets = append(facets, aggregationFacet(v, changes, verdict))
	}
	if v.Service.Spec.DSLStabilityProfile != "" {
		facets = append(facets, dslProfileFacet(v, changes, verdict))
	}
	if verdict.Reason == v1alpha1.ReasonAwaitingApproval {
		facets = append(facets, verdict.holds(v1alpha1.ConditionApprovalRequired))
	}
	return append(facets, unsupportedFacets(v)...)
}

func planFacet(v *View, changes []v1alpha1.Change, verdict Verdict) Facet {
	known := knownPlan(v)
	facet := valueFacet(v1alpha1.ConditionPlanSynced, "plan", known)
	if known != nil && v.Service.Spec.Plan.Name != known.Value {
		facet.Message = fmt.Sprintf(
			"the carrier spells it %q, which is taken for the same plan: nothing is changed", known.Value)
	}
	return facet.unless(only(changes, "plan."), known, verdict)
}

// valueFacet says of a value that is compared as it stands whether it is as declared.
func valueFacet(conditionType, what string, known *v1alpha1.KnownValue) Facet {
	return Facet{conditionType, metav1.ConditionTrue, v1alpha1.ReasonInSync, howKnown(what, known)}
}

func slaFacet(v *View, changes []v1alpha1.Change, verdict Verdict) Facet {
	return valueFacet(v1alpha1.ConditionRestorationSLASynced, "restoration SLA", knownSLA(v)).
		unless(only(changes, "restorationSLA"), knownSLA(v), verdict)
}

func aggregationFacet(v *View, changes []v1alpha1.Change, verdict Verdict) Facet {
	return valueFacet(v1alpha1.ConditionAggregationSynced, "aggregation method", knownAggregation(v)).
		unless(only(changes, fieldAggregation), knownAggregation(v), verdict)
}

func dslProfileFacet(v *View, changes []v1alpha1.Change, verdict Verdict) Facet {
	return valueFacet(v1alpha1.ConditionDSLProfileSynced, "DSL stability profile", knownDSLProfile(v)).
		unless(only(changes, fieldDSLProfile), knownDSLProfile(v), verdict)
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

// describe puts changes into words: plan.name "A" → "B", restorationSLA unknown → "C".
func describe(changes []v1alpha1.Change) string {
	words := make([]string, 0, len(changes))
	for _, change := range changes {
		from := "unknown"
		if change.From != "" {
			from = fmt.Sprintf("%q", change.From)
		}
		words = append(words, fmt.Sprintf("%s %s → %q", change.Field, from, change.To))
	}
	return strings.Join(words, ", ")
}

// unmet is a declared aspect that this version cannot bring about.
type unmet struct {
	condition string
	field     string
	declared  bool
	wanted    bool // whether Ready has to wait for it
}

func unmetAspects(spec *v1alpha1.BroadbandServiceSpec) []unmet {
	reclaim := spec.Disconnection == v1alpha1.DisconnectionReclaim
	return []unmet{
		{v1alpha1.ConditionCancellationSynced, "cancellation", spec.Cancellation != nil, true},
		{v1alpha1.ConditionConnected, "disconnection", spec.Disconnection != "", reclaim},
		{v1alpha1.ConditionDrifted, "driftPolicy: Correct", spec.DriftPolicy == v1alpha1.DriftCorrect, false},
		{v1alpha1.ConditionDisrupted, "observe.disruptionsInterval", spec.Observe.DisruptionsInterval.Or(0) > 0, false},
	}
}

func unsupportedFacets(v *View) []Facet {
	var facets []Facet
	for _, aspect := range unmetAspects(&v.Service.Spec) {
		if aspect.declared {
			facets = append(facets, Facet{
				aspect.condition, metav1.ConditionUnknown, v1alpha1.ReasonUnsupported,
				fmt.Sprintf("spec.%s is accepted, and this version of the operator does not act on it yet", aspect.field),
			})
		}
	}
	return facets
}

// unsupported answers when all that can be done is done and something declared is left.
func unsupported(v *View) *Decision {
	var fields []string
	for _, aspect := range unmetAspects(&v.Service.Spec) {
		if aspect.declared && aspect.wanted && v.Service.Spec.ManagementPolicy != v1alpha1.ManagementObserve {
			fields = append(fields, "spec."+aspect.field)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return stuck(v1alpha1.ReasonUnsupported, fmt.Sprintf(
		"this version of the operator does not act on %s yet: remove it, or wait for a version that does",
		strings.Join(fields, ", ")))
}
