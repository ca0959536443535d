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

// doubtAfter is how long a step back stands before it is doubted.
const doubtAfter = time.Minute

// doubt has an object looked at again some time after it was called less settled than before. That
// may be the word of another process, which knew less and has ended: of two that both lead, one asks
// for a price that the other knows, says so, and is killed. Where this process wrote it, the look
// finds nothing to do. Of two that disagree and go on, only the one that sees the object more settled
// doubts the other, and not before its time: they do not write against each other.
func doubt() handler.Funcs {
	return handler.Funcs{UpdateFunc: func(_ context.Context, update event.UpdateEvent, looks looks) {
		if settlednessOf(update.ObjectNew) < settlednessOf(update.ObjectOld) {
			looks.AddAfter(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(update.ObjectNew)}, doubtAfter)
		}
	}}
}

// looks is the work queue of a controller.
type looks = workqueue.TypedRateLimitingInterface[ctrl.Request]

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
	switch object := object.(type) {
	case *v1alpha1.CarrierAccount:
		conditions = object.Status.Conditions
	case Subject:
		described, _ := object.Describes()
		conditions = *described
	}
	switch {
	case meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady):
		return isReady
	case len(conditions) == 0, meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReconciling):
		return underWay
	}
	return atRest
}
