// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

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
