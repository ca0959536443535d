// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/fairqueue"
)

// NewQueue creates the work queue of a controller. Delayed passes wait in the queue, which uses the
// machine's timers unless the implementation has others.
type NewQueue func(
	controller string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) priorityqueue.PriorityQueue[reconcile.Request]

// Workers are the workers of each controller, and the queues that share them.
type Workers struct {
	Count      int
	NewQueue   NewQueue                                     // below the fair queues
	Find       func(reconcile.Request, client.Object) error // reads an object from the cache
	StandingOf func(fairqueue.Group) fairqueue.Standing
	Now        func() time.Time
}

// Options returns the options of the controller of a kind, given an empty object of it.
func (w Workers) Options(kind client.Object) controller.Options {
	groupOf := func(request reconcile.Request) fairqueue.Group { return w.groupOf(request, kind) }
	return controller.Options{
		MaxConcurrentReconciles: w.Count,
		NewQueue: func(
			name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
		) workqueue.TypedRateLimitingInterface[reconcile.Request] {
			return fairqueue.New(w.NewQueue(name, limiter), w.Count, w.Now, groupOf, w.StandingOf)
		},
	}
}

// groupOf returns the namespace and the account for which an object is reconciled. An object that
// does not exist needs no account.
func (w Workers) groupOf(request reconcile.Request, kind client.Object) fairqueue.Group {
	group := fairqueue.Group{Namespace: request.Namespace}
	switch object := kind.DeepCopyObject().(type) {
	case *v1alpha1.CarrierAccount:
		group.Account = request.Name
	case interface {
		client.Object
		AccountName() string
	}:
		if w.Find(request, object) == nil {
			group.Account = object.AccountName()
		}
	}
	return group
}

// Trigger starts passes for a reason other than a change of an object.
type Trigger struct {
	waiting chan event.TypedGenericEvent[types.NamespacedName]
}

// queued is how many objects may wait here until the controller's own queue, which has no limit,
// accepts them.
const queued = 1024

// NewTrigger returns a trigger for one controller.
func NewTrigger() *Trigger {
	return &Trigger{waiting: make(chan event.TypedGenericEvent[types.NamespacedName], queued)}
}

// Put starts a pass over an object. If a thousand are waiting already, it does nothing, because
// every object that is not settled is reconciled again anyway.
func (t *Trigger) Put(object types.NamespacedName) {
	select {
	case t.waiting <- event.TypedGenericEvent[types.NamespacedName]{Object: object}:
	default:
	}
}

// Source returns the trigger as a source of a controller.
func (t *Trigger) Source() source.Source {
	return source.TypedChannel(t.waiting, handler.TypedEnqueueRequestsFromMapFunc(itself))
}

func itself(_ context.Context, object types.NamespacedName) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: object}}
}

// RecheckAfter is the default delay before an object that became less settled is checked again;
// Options may set another.
const RecheckAfter = time.Minute

// Recheck reconciles an object again some time after its status became less settled, for example in
// progress after Ready. Another process with less knowledge may have written that status and then
// ended. If there are two active leaders, the one that does not know a price may request it, record
// that in the status, and be killed. If this process wrote the status, the check finds nothing to
// do. If two running processes disagree, only the one that considers the object more settled checks
// again, and only after the delay, so they do not overwrite each other in a loop.
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

// settledness orders the states of an object, from in progress to Ready.
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
