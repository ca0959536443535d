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

// queue has objects looked at for a reason that is no change of an object.
type queue struct {
	waiting chan event.TypedGenericEvent[types.NamespacedName]
}

// queued is how many may wait to be put into the controller's own queue, which knows no limit.
const queued = 1024

func newQueue() *queue {
	return &queue{waiting: make(chan event.TypedGenericEvent[types.NamespacedName], queued)}
}

// put asks for a look. With a thousand waiting it is dropped: every object that is not
// settled is looked at again anyhow.
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
