// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

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
