// SPDX-License-Identifier: Apache-2.0

package pass

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// announce emits an Event if the reason of Ready has changed: a Warning if only a person can help.
// Pending approvals thus appear among the Events, too. There is no Event for a new object that is
// in sync or in progress, because importing a fleet would emit one per object.
func (o *Operator) announce(before, now Subject) {
	held, ready := readyCondition(before), readyCondition(now)
	if ready == nil || held != nil && held.Reason == ready.Reason {
		return
	}
	conditions, _ := now.Describes()
	reconciling := meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionReconciling)
	if held == nil && (ready.Status == metav1.ConditionTrue || reconciling) {
		return
	}
	kind := corev1.EventTypeNormal
	if meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionStalled) {
		kind = corev1.EventTypeWarning
	}
	o.Protocol.Events.Eventf(now, nil, kind, ready.Reason, "Reconcile", "%s", ready.Message)
}

func readyCondition(subject Subject) *metav1.Condition {
	conditions, _ := subject.Describes()
	return meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady)
}
