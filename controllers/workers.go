// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/fairqueue"
)

// workers are the workers of each controller, and the queues that share them.
type workers struct {
	count      int
	newQueue   NewQueue
	find       func(reconcile.Request, client.Object) error // reads an object from the cache
	standingOf func(fairqueue.Group) fairqueue.Standing
	now        func() time.Time
}

// newWorkers returns the workers of a manager.
func (o *Operator) newWorkers(ctx context.Context, mgr ctrl.Manager, options Options) workers {
	newQueue := options.NewQueue
	if newQueue == nil { // as controller-runtime does
		newQueue = func(
			name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
		) priorityqueue.PriorityQueue[reconcile.Request] {
			return priorityqueue.New(name, func(of *priorityqueue.Opts[reconcile.Request]) {
				of.Log, of.RateLimiter = mgr.GetLogger().WithValues("controller", name), limiter
			})
		}
	}
	return workers{
		count: max(options.Workers, 1), newQueue: newQueue, standingOf: o.Accounts.StandingOf, now: options.Now,
		find: func(request reconcile.Request, object client.Object) error {
			return o.Get(ctx, request.NamespacedName, object)
		},
	}
}

// of returns the options of the controller of a kind, given an empty object of it.
func (w workers) of(kind client.Object) controller.Options {
	groupOf := func(request reconcile.Request) fairqueue.Group { return w.groupOf(request, kind) }
	return controller.Options{
		MaxConcurrentReconciles: w.count,
		NewQueue: func(
			name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
		) workqueue.TypedRateLimitingInterface[reconcile.Request] {
			return fairqueue.New(w.newQueue(name, limiter), w.count, w.now, groupOf, w.standingOf)
		},
	}
}

// groupOf returns the namespace and the account for which an object is reconciled. An object that
// does not exist needs no account.
func (w workers) groupOf(request reconcile.Request, kind client.Object) fairqueue.Group {
	group := fairqueue.Group{Namespace: request.Namespace}
	switch object := kind.DeepCopyObject().(type) {
	case *v1alpha1.CarrierAccount:
		group.Account = request.Name
	case Subject:
		if w.find(request, object) == nil {
			group.Account = object.AccountName()
		}
	}
	return group
}
