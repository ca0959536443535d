// SPDX-License-Identifier: Apache-2.0

package watch

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

// RecheckAfter is the default delay before an object that became less settled is checked again;
// Options may set another.
const RecheckAfter = time.Minute

// Recheck reconciles an object again some time after its status became less settled. Another
// process with less knowledge may have written that status and then ended. For example, of two
// active leaders, the one that does not know a price requests the price, writes to the status that
// it did so, and is killed. If this process wrote the status, the check finds nothing to do. If two
// running processes disagree, only the one that considers the object more settled checks again, and
// only after the delay, so they do not overwrite each other in a loop.
func Recheck(after time.Duration) handler.Funcs {
	return handler.Funcs{UpdateFunc: func(_ context.Context, update event.UpdateEvent, looks workQueue) {
		if LessSettled(update.ObjectOld, update.ObjectNew) {
			looks.AddAfter(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(update.ObjectNew)}, after)
		}
	}}
}

// workQueue is the work queue of a controller.
type workQueue = workqueue.TypedRateLimitingInterface[ctrl.Request]

// LessSettled reports whether an object became less settled.
func LessSettled(before, after client.Object) bool {
	return settlednessOf(after) < settlednessOf(before)
}

// settledness is how settled an object is.
type settledness int

const (
	inProgress settledness = iota // or not reconciled yet
	idle                          // until a person acts
	ready
)

// settlednessOf returns how settled an object is, according to its conditions.
func settlednessOf(object client.Object) settledness {
	var conditions []metav1.Condition
	if described, is := object.(v1alpha1.Described); is {
		held, _ := described.Describes()
		conditions = *held
	}
	switch {
	case meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady):
		return ready
	case len(conditions) == 0, meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReconciling):
		return inProgress
	}
	return idle
}
