// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// aspectsOf returns, for each declared aspect, whether the carrier's state is as declared, and the
// state of each observed aspect. Any other aspect has no condition.
func aspectsOf(in *Input, result rulesResult) []decide.Aspect {
	aspects := endingAspects(in, result)
	if !endedAsWanted(in) { // a service that has ended has no other values
		aspects = append(aspects, valueAspects(in, result.modification)...)
	}
	for _, aspect := range []*decide.Aspect{approvalAspect(in), driftAspect(in), healthAspect(in), disruptionAspect(in)} {
		if aspect != nil {
			aspects = append(aspects, *aspect)
		}
	}
	return aspects
}

// approvalAspect reports the change that waits for an approval, whatever else is in progress; nil
// if no change waits.
func approvalAspect(in *Input) *decide.Aspect {
	if in.Account.Object == nil || in.Service.ServiceNumber() == "" {
		return nil
	}
	for _, want := range wantedNext(in) {
		if judged := sendOrHold(in, want); judged.Verdict.Reason == v1alpha1.ReasonAwaitingApproval {
			return new(judged.Verdict.Aspect(v1alpha1.ConditionApprovalRequired))
		}
	}
	return nil
}

func valueAspects(in *Input, verdict decide.Verdict) []decide.Aspect {
	spec, known, changes := in.Service.Spec, in.Service.LastKnown(), differences(in.wanted.changes)
	var aspects []decide.Aspect
	if spec.Plan != nil {
		aspects = append(aspects, planAspect(in, changes, verdict))
	}
	for _, value := range unreadValues(in, &known) {
		known := *value.known
		aspect := inSyncAspect(value.condition, howKnown(value.name, known))
		if onlyReportsDrift(in, value.field) {
			aspect.Set(metav1.ConditionFalse, v1alpha1.ReasonDrifted, driftText(value.name, known.DriftedFrom, known.Value))
		}
		aspects = append(aspects, unless(aspect, decide.ChangesOf(changes, value.field), known, verdict))
	}
	return aspects
}

func planAspect(in *Input, changes []v1alpha1.Change, verdict decide.Verdict) decide.Aspect {
	plan, declared := in.Service.LastKnown().Plan, in.Service.Spec.Plan.Name
	aspect := inSyncAspect(v1alpha1.ConditionPlanSynced, howKnown(nameOfPlan, plan))
	last := in.Subject.Record().RequestOf(v1alpha1.OperationPlanChange)
	switch {
	case plan == nil:
	case onlyReportsDrift(in, decide.FieldPlan) && !decide.SameName(declared, plan.Value):
		aspect.Set(metav1.ConditionFalse, v1alpha1.ReasonDrifted,
			driftText(nameOfPlan, cmp.Or(plan.DriftedFrom, plan.AsHealth), plan.Value))
	case last != nil && last.Warning != "":
		aspect.Reason, aspect.Message = v1alpha1.ReasonResultDiffers, last.Warning
	case declared != plan.Value:
		aspect.Message = fmt.Sprintf(
			"the carrier spells the plan %q, which counts as the same plan: nothing is changed", plan.Value)
	case plan.AsHealth != "" && !decide.SameName(plan.AsHealth, plan.Value):
		aspect.Message += fmt.Sprintf("; health shows it as %q", plan.AsHealth)
	}
	differing := slices.DeleteFunc(decide.ChangesOf(changes, "plan."), func(change v1alpha1.Change) bool {
		return change.From == "" && change.Field != decide.FieldPlan // it is sent with the plan, and is not known to differ
	})
	return unless(aspect, differing, plan, verdict)
}

func endingAspects(in *Input, result rulesResult) []decide.Aspect {
	var aspects []decide.Aspect
	known := in.Service.LastKnown().Cancellation
	if in.Service.Spec.Cancellation != nil {
		aspects = append(aspects, cancellationAspect(in, known, result.cancellation))
	}
	if in.Service.Spec.Disconnection != "" {
		aspects = append(aspects, connectedAspect(in, known, result.modification))
	}
	return aspects
}

func cancellationAspect(in *Input, known *v1alpha1.CancellationState, verdict decide.Verdict) decide.Aspect {
	differs := in.wanted.cancellation
	barred := cancellationBarred(in)
	aspect := inSyncAspect(v1alpha1.ConditionCancellationSynced, "the cancellation is as declared")
	switch {
	case known == nil:
		aspect.Set(metav1.ConditionUnknown, verdict.Reason, "the service's cancellation is not known yet")
	case barred != nil:
		aspect.Set(metav1.ConditionFalse, barred.Reason, barred.Message)
	case endedAsWanted(in) && !endedOnDate(in):
		aspect.Set(metav1.ConditionFalse, v1alpha1.ReasonNotEligibleForCancellation, howEnded(in))
	case mayHaveComeDue(in):
		aspect.Set(metav1.ConditionUnknown, verdict.Reason, verdict.Message)
	case differs.Wanted() && onlyReportsCancellationDrift(in, differs):
		aspect.Set(metav1.ConditionFalse, v1alpha1.ReasonDrifted,
			driftText(fieldCancellation, differs.Changes[0].To, differs.Changes[0].From))
	case differs.Wanted():
		aspect.Set(metav1.ConditionFalse, verdict.Reason, decide.DescribeChanges(differs.Changes))
	case isUncompared(in):
		aspect.Set(metav1.ConditionUnknown, verdict.Reason,
			"the carrier has not shown the service's cancellation since it was declared")
	}
	return aspect
}

func connectedAspect(in *Input, known *v1alpha1.CancellationState, verdict decide.Verdict) decide.Aspect {
	aspect := decide.NewAspect(v1alpha1.ConditionConnected, metav1.ConditionTrue, v1alpha1.ReasonConnected,
		"the carrier does not show the service as cancelled")
	switch {
	case known == nil:
		aspect.Set(metav1.ConditionUnknown, verdict.Reason,
			"it is not known yet whether the carrier shows the service as cancelled")
	case known.Cancelled:
		aspect.Set(metav1.ConditionFalse, v1alpha1.ReasonCancelled,
			"the carrier shows the service as cancelled since "+cmp.Or(known.CancelledOn, "an unknown day"))
		if in.Service.Spec.Disconnection == v1alpha1.DisconnectionReclaim {
			aspect.Reason = verdict.Reason
		}
	}
	return aspect
}

// healthAspect rates the service by the carrier's color; nil until one has been read.
func healthAspect(in *Input) *decide.Aspect {
	health := in.Service.Status.Health
	if health == nil {
		return nil
	}
	aspect := decide.NewAspect(
		v1alpha1.ConditionHealthy, metav1.ConditionFalse, v1alpha1.ReasonHealthImpaired, decide.HealthText(health))
	switch {
	case strings.EqualFold(health.Summary, "Green"):
		aspect.Status, aspect.Reason = metav1.ConditionTrue, v1alpha1.ReasonHealthGood
	case health.Summary == "", strings.EqualFold(health.Summary, "Grey"):
		aspect.Status, aspect.Reason = metav1.ConditionUnknown, v1alpha1.ReasonHealthNotRated
	}
	return &aspect
}

// disruptionAspect reports whether an outage or maintenance is active; nil until disruptions have
// been read.
func disruptionAspect(in *Input) *decide.Aspect {
	seen := in.Service.Status.Disruptions
	if seen == nil {
		return nil
	}
	if seen.Active == 0 {
		return new(decide.NewAspect(v1alpha1.ConditionDisrupted, metav1.ConditionFalse, v1alpha1.ReasonNoDisruption,
			fmt.Sprintf("no disruption is active; %d scheduled", seen.Scheduled)))
	}
	return new(decide.NewAspect(v1alpha1.ConditionDisrupted, metav1.ConditionTrue, v1alpha1.ReasonDisruptionActive,
		fmt.Sprintf("%d active, %d scheduled: %s", seen.Active, seen.Scheduled,
			cmp.Or(seen.Current.Description, "no details were given"))))
}

func inSyncAspect(conditionType, message string) decide.Aspect {
	return decide.NewAspect(conditionType, metav1.ConditionTrue, v1alpha1.ReasonInSync, message)
}

func driftText(what, from, to string) string {
	return fmt.Sprintf("the carrier changed the %s from %q to %q after the service was in sync", what, from, to)
}

// unless returns the aspect or, if the value differs or is unknown, why the aspect does not hold.
func unless(
	aspect decide.Aspect, differing []v1alpha1.Change, known *v1alpha1.KnownValue, verdict decide.Verdict,
) decide.Aspect {
	switch {
	case len(differing) > 0:
		aspect.Set(metav1.ConditionFalse, verdict.Reason, decide.DescribeChanges(differing))
	case known == nil:
		aspect.Status, aspect.Reason = metav1.ConditionUnknown, verdict.Reason
	}
	return aspect
}

func howKnown(what string, known *v1alpha1.KnownValue) string {
	switch {
	case known == nil:
		return fmt.Sprintf("the carrier's %s is not known yet", what)
	case known.Source == v1alpha1.SourceDeclared:
		return fmt.Sprintf("the %s is trusted to be as declared; the carrier has never confirmed it", what)
	}
	return fmt.Sprintf("the %s is as declared (source %s)", what, known.Source)
}

func inSync(in *Input) decide.Verdict {
	if in.Service.OnlyObserves() {
		return decide.Settled.Verdict(v1alpha1.ReasonObserving,
			"managementPolicy is Observe: the carrier's state is read, but nothing is changed")
	}
	return decide.Settled.Verdict(v1alpha1.ReasonInSync, inSyncText(in))
}

// inSyncText describes how each declared value is known. A value that is only trusted is not
// reported as declared.
func inSyncText(in *Input) string {
	days := decide.TimeZone(&in.Input)
	var words, unconfirmed, unknown []string
	for _, declared := range declaredValues(in) {
		switch {
		case declared.known == nil:
			unknown = append(unknown, declared.name)
		case declared.known.Source == v1alpha1.SourceDeclared:
			unconfirmed = append(unconfirmed, declared.name)
		default:
			words = append(words, howSince(declared, days))
		}
	}
	if known := in.Service.LastKnown().Cancellation; known != nil && in.Service.Spec.Cancellation != nil {
		words = append(words, "cancellation first read on "+decide.DayIn(days, known.Since.Time))
	}
	if len(unconfirmed) > 0 {
		words = append(words, decide.ListOf(unconfirmed, "and")+" trusted as declared, but never confirmed by the carrier")
	}
	if len(unknown) > 0 {
		words = append(words, decide.ListOf(unknown, "and")+" not known, because the carrier's API cannot report this")
	}
	if len(words) == 0 {
		return "the carrier shows the service, and the spec declares no values to compare"
	}
	return strings.Join(words, "; ")
}

// declaredValue is a declared value and the carrier's known value.
type declaredValue struct {
	name  string
	known *v1alpha1.KnownValue
}

func declaredValues(in *Input) []declaredValue {
	spec, known := in.Service.Spec, in.Service.LastKnown()
	var declared []declaredValue
	if spec.Plan != nil {
		declared = append(declared, declaredValue{nameOfPlan, known.Plan}, declaredValue{nameOfTerm, TermOfPlan(known)})
	}
	for _, value := range unreadValues(in, &known) {
		declared = append(declared, declaredValue{value.name, *value.known})
	}
	return declared
}

// howSince describes how the carrier's value is known and since when. If health shows another
// name, the text says so: somebody may have changed the plan before health was first read.
func howSince(declared declaredValue, days *time.Location) string {
	words := howRecorded(declared, days)
	if asHealth := declared.known.AsHealth; asHealth != "" && !decide.SameName(asHealth, declared.known.Value) {
		words += fmt.Sprintf(" (health shows it as %q)", asHealth)
	}
	return words
}

func howRecorded(declared declaredValue, days *time.Location) string {
	day := decide.DayIn(days, declared.known.Since.Time)
	switch declared.known.Source {
	case v1alpha1.SourceHealth, v1alpha1.SourceService:
		return fmt.Sprintf("%s first read on %s", declared.name, day)
	case v1alpha1.SourceChangeResult:
		return fmt.Sprintf("%s set on %s", declared.name, day)
	case v1alpha1.SourceOrder:
		return fmt.Sprintf("%s as ordered", declared.name)
	case v1alpha1.SourceDeclared:
	}
	return declared.name // a value that is only trusted has never been confirmed
}
