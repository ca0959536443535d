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

// doubtAfter is how long a Ready condition stands before it is doubted.
const doubtAfter = time.Minute

// doubt has an object looked at again some time after its Ready condition has become another. That
// may be the word of another process, which knew less and has ended: of two that both lead, one asks
// for a price that the other knows, says so, and is killed. Where this process wrote it, the look
// finds nothing to do. It takes its time, because two that disagree would write against each other.
func doubt() handler.Funcs {
	return handler.Funcs{UpdateFunc: func(_ context.Context, update event.UpdateEvent, looks looks) {
		was, is := readyOf(update.ObjectOld), readyOf(update.ObjectNew)
		if was.Status != is.Status || was.Reason != is.Reason {
			looks.AddAfter(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(update.ObjectNew)}, doubtAfter)
		}
	}}
}

// looks is the work queue of a controller.
type looks = workqueue.TypedRateLimitingInterface[ctrl.Request]

// readyOf is the Ready condition of an object of ours; empty where it has none yet.
func readyOf(object client.Object) metav1.Condition {
	var conditions []metav1.Condition
	switch object := object.(type) {
	case *v1alpha1.CarrierAccount:
		conditions = object.Status.Conditions
	case Subject:
		described, _ := object.Describes()
		conditions = *described
	}
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready == nil {
		return metav1.Condition{}
	}
	return *ready
}
