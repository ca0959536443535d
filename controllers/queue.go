// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// queue reconciles objects for a reason other than a change of an object.
type queue struct {
	waiting chan event.TypedGenericEvent[types.NamespacedName]
}

// queued is how many objects may wait here until the controller's own queue, which has no limit,
// accepts them.
const queued = 1024

func newQueue() *queue {
	return &queue{waiting: make(chan event.TypedGenericEvent[types.NamespacedName], queued)}
}

// put enqueues an object. If a thousand are waiting already, it does nothing, because every object
// that is not settled is reconciled again anyway.
func (q *queue) put(object types.NamespacedName) {
	select {
	case q.waiting <- event.TypedGenericEvent[types.NamespacedName]{Object: object}:
	default:
	}
}

func (q *queue) source() source.Source {
	return source.TypedChannel(q.waiting, handler.TypedEnqueueRequestsFromMapFunc(itself))
}

func itself(_ context.Context, object types.NamespacedName) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: object}}
}
