// SPDX-License-Identifier: Apache-2.0

package world

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The carrier's calls move the clock, and the queues are not notified.
func TestAPassThatComesDueDuringACallIsStarted(t *testing.T) {
	t.Parallel()
	timers := &timers{clock: NewClock()}
	queue := timers.newQueue("timers", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	object := reconcile.Request{NamespacedName: types.NamespacedName{Name: "site"}}
	queue.AddAfter(object, time.Second)
	if busy := timers.busy(); busy != 0 {
		t.Fatalf("%d passes are due a second early", busy)
	}
	timers.clock.Advance(time.Second)
	if busy := timers.busy(); busy != 1 {
		t.Errorf("%d passes are due, want 1", busy)
	}
	if started, isShutDown := queue.Get(); isShutDown || started != object {
		t.Errorf("the pass of %v was started (queue shut down: %t), want %v", started, isShutDown, object)
	}
	queue.Done(object)
	if busy := timers.busy(); busy != 0 {
		t.Errorf("%d passes are still due after their end", busy)
	}
}
