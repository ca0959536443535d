// SPDX-License-Identifier: Apache-2.0

// Package status writes a decision to an object's conditions, following kstatus, and turns it into
// the one ctrl.Result of a pass.
package status

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Object has the conditions of an object, and the generation that they describe.
type Object struct {
	Conditions *[]metav1.Condition
	Generation int64
}

// Describe writes Ready, Reconciling and Stalled. The latter two exist only while they are True, as
// kstatus requires for abnormal conditions.
func Describe(object Object, verdict decide.Verdict, now time.Time) {
	ready := metav1.ConditionFalse
	if verdict.State == decide.Settled {
		ready = metav1.ConditionTrue
	}
	object.set(v1alpha1.ConditionReady, ready, verdict, now)
	object.abnormal(v1alpha1.ConditionReconciling, decide.Working, verdict, now)
	object.abnormal(v1alpha1.ConditionStalled, decide.Stuck, verdict, now)
}

// DescribeAspects writes one condition per declared aspect, and removes those no longer declared.
func DescribeAspects(object Object, aspects []decide.Aspect, now time.Time) {
	for _, conditionType := range aspectTypes() {
		aspect := aspectOf(aspects, conditionType)
		if aspect == nil {
			object.remove(conditionType)
			continue
		}
		DescribeAspect(object, *aspect, now)
	}
}

// DescribeAspect writes one condition.
func DescribeAspect(object Object, aspect decide.Aspect, now time.Time) {
	object.set(aspect.Type, aspect.Status, decide.Verdict{Reason: aspect.Reason, Message: aspect.Message}, now)
}

// Unjudged sets to Unknown the aspects that still describe another generation, after a pass that
// ended before evaluating them.
func Unjudged(object Object, verdict decide.Verdict, now time.Time) {
	for _, conditionType := range aspectTypes() {
		held := meta.FindStatusCondition(*object.Conditions, conditionType)
		if held != nil && held.ObservedGeneration != object.Generation {
			object.set(conditionType, metav1.ConditionUnknown, verdict, now)
		}
	}
}

func aspectTypes() []string {
	return []string{
		v1alpha1.ConditionPlanSynced, v1alpha1.ConditionRestorationSLASynced, v1alpha1.ConditionAggregationSynced,
		v1alpha1.ConditionDSLProfileSynced, v1alpha1.ConditionCancellationSynced, v1alpha1.ConditionConnected,
		v1alpha1.ConditionHealthy, v1alpha1.ConditionDisrupted, v1alpha1.ConditionApprovalRequired, v1alpha1.ConditionDrifted,
		v1alpha1.ConditionSubmitted, v1alpha1.ConditionRejected,
	}
}

func aspectOf(aspects []decide.Aspect, conditionType string) *decide.Aspect {
	for i := range aspects {
		if aspects[i].Type == conditionType {
			return &aspects[i]
		}
	}
	return nil
}

// abnormal writes a condition that exists in one state only.
func (o Object) abnormal(conditionType string, state decide.State, verdict decide.Verdict, now time.Time) {
	if verdict.State != state {
		o.remove(conditionType)
		return
	}
	o.set(conditionType, metav1.ConditionTrue, verdict, now)
}

// remove removes a condition. [meta.RemoveStatusCondition] would copy the others even if there is
// nothing to remove, which is almost always the case.
func (o Object) remove(conditionType string) {
	if meta.FindStatusCondition(*o.Conditions, conditionType) != nil {
		meta.RemoveStatusCondition(o.Conditions, conditionType)
	}
}

func (o Object) set(conditionType string, status metav1.ConditionStatus, verdict decide.Verdict, now time.Time) {
	meta.SetStatusCondition(o.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: verdict.Reason, Message: verdict.Message,
		ObservedGeneration: o.Generation, LastTransitionTime: v1alpha1.WholeSeconds(now),
	})
}

// Exit returns the result of a pass: when the next pass is due, and its priority. Scheduled polls
// have the same low priority as the objects reconciled at startup, so the polls never starve those
// objects. An edit has normal priority and overtakes polls and objects reconciled at startup.
func Exit(now, lookAt time.Time) ctrl.Result {
	if lookAt.IsZero() {
		return ctrl.Result{}
	}
	priority := handler.LowPriority
	return ctrl.Result{RequeueAfter: max(lookAt.Sub(now), time.Millisecond), Priority: &priority}
}
