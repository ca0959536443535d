// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// eventAnnotationUnused is the reason of an Event of a control annotation that asks for nothing.
const eventAnnotationUnused = "AnnotationUnused"

// announce records an Event where the reason of Ready has changed: a Warning where only a person can
// help. Who watches Events then hears of what waits for an approval, too. That a new object is in
// sync, or in progress, is no news: a fleet that is imported would be as many Events.
func (o *Operator) announce(before, now Subject) {
	held, ready := readyIn(before), readyIn(now)
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

// announceUnused records an Event of a control annotation that asks for nothing, once: what Ready says
// of it already is no news.
func (p *pass) announceUnused(decision decide.Decision) {
	held, isSubject := p.written.(Subject)
	if decision.Unused == "" || !isSubject {
		return
	}
	if ready := readyIn(held); ready == nil || !strings.Contains(ready.Message, decision.Unused) {
		p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeWarning, eventAnnotationUnused, "Reconcile",
			"%s", decision.Unused)
	}
}

func readyIn(subject Subject) *metav1.Condition {
	conditions, _ := subject.Describes()
	return meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady)
}
