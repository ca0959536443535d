// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// announce emits an Event if the reason of Ready has changed: a Warning if only a person can help.
// Pending approvals thus appear among the Events, too.
func (o *Operator) announce(before, now Subject) {
	held, ready := readyCondition(before), readyCondition(now)
	if ready == nil || held != nil && held.Reason == ready.Reason || isExpected(before, now) {
		return
	}
	kind := corev1.EventTypeNormal
	if conditions, _ := now.Describes(); meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionStalled) {
		kind = corev1.EventTypeWarning
	}
	o.Protocol.Events.Eventf(now, nil, kind, ready.Reason, "Reconcile", "%s", ready.Message)
}

// isExpected reports whether a change of Ready needs no Event. A new object in progress or Ready
// needs none: importing a fleet would emit one for each object. Neither does an object in
// progress or in sync after a request, which has its own Event.
func isExpected(before, now Subject) bool {
	conditions, _ := now.Describes()
	inProgress, ready := meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionReconciling), readyCondition(now)
	switch {
	case readyCondition(before) == nil:
		return inProgress || ready.Status == metav1.ConditionTrue
	case !slices.Equal(openAttempts(before), openAttempts(now)):
		return inProgress || ready.Reason == v1alpha1.ReasonInSync
	}
	return false
}

// openAttempts returns the ids of the requests that are in progress.
func openAttempts(subject Subject) (ids []string) {
	for _, open := range subject.Record().OpenRequests() {
		ids = append(ids, open.AttemptID)
	}
	return ids
}

func readyCondition(subject Subject) *metav1.Condition {
	conditions, _ := subject.Describes()
	return meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady)
}
