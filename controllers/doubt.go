// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// DoubtAfter is how long a step back stands before it is doubted, unless Options name another time.
const DoubtAfter = time.Minute

// doubt has an object looked at again some time after it was called less settled than before. That
// may be the word of another process, which knew less and has ended: of two that both lead, one asks
// for a price that the other knows, says so, and is killed. Where this process wrote it, the look
// finds nothing to do. Of two that disagree and go on, only the one that sees the object more settled
// doubts the other, and not before its time: they do not write against each other.
func doubt(after time.Duration) handler.Funcs {
	return handler.Funcs{UpdateFunc: func(_ context.Context, update event.UpdateEvent, looks looks) {
		if Doubted(update.ObjectOld, update.ObjectNew) {
			looks.AddAfter(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(update.ObjectNew)}, after)
		}
	}}
}

// looks is the work queue of a controller.
type looks = workqueue.TypedRateLimitingInterface[ctrl.Request]

// Doubted says whether an object of ours is called less settled than before.
func Doubted(before, after client.Object) bool { return settlednessOf(after) < settlednessOf(before) }

// settledness is how settled an object is.
type settledness int

const (
	underWay settledness = iota // or not looked at yet
	atRest                      // until a person does something
	isReady
)

// settlednessOf is what the conditions of an object of ours say of it.
func settlednessOf(object client.Object) settledness {
	var conditions []metav1.Condition
	if described, is := object.(v1alpha1.Described); is {
		held, _ := described.Describes()
		conditions = *held
	}
	switch {
	case meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady):
		return isReady
	case len(conditions) == 0, meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReconciling):
		return underWay
	}
	return atRest
}
