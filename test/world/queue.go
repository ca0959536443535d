// SPDX-License-Identifier: Apache-2.0

package world

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// timers make the work queues of a manager that uses a world's clock. They are controller-runtime's
// own queues, as in the program. Only the delay of a later pass differs: it ends when the clock is
// advanced. A pass does not wait for real time, so a slow machine does not delay it.
type timers struct {
	clock *Clock

	mu     sync.Mutex
	queues []*timedQueue
}

// newQueue makes the queue of one controller.
func (t *timers) newQueue(
	controller string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) priorityqueue.PriorityQueue[reconcile.Request] {
	queue := &timedQueue{
		PriorityQueue: priorityqueue.New(controller, func(o *priorityqueue.Opts[reconcile.Request]) {
			o.RateLimiter = limiter
		}),
		now: t.clock.Now, later: map[reconcile.Request]timer{}, active: map[reconcile.Request]struct{}{},
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queues = append(t.queues, queue)
	return queue
}

// advance lets time pass, and starts the passes that are due by then.
func (t *timers) advance(by time.Duration) {
	t.clock.Advance(by)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range t.queues {
		queue.release()
	}
}

// busy starts the passes that are due, and counts those that are due or running. A call to the
// carrier can let time pass, so a pass may have come due since the last advance.
func (t *timers) busy() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	busy := 0
	for _, queue := range t.queues {
		queue.release()
		busy += queue.busy()
	}
	return busy
}

// planned counts the passes that are due within a time from now.
func (t *timers) planned(within time.Duration) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	planned := 0
	for _, queue := range t.queues {
		planned += queue.planned(within)
	}
	return planned
}

// timer is the time of a pass and its priority.
type timer struct {
	at       time.Time
	priority *int
}

// timedQueue is a priority queue that measures delays by the world's clock. Like the priority queue
// itself, it has at most one entry per object, at the earliest requested time.
type timedQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	now func() time.Time

	mu     sync.Mutex
	later  map[reconcile.Request]timer
	active map[reconcile.Request]struct{} // whose passes are due now, or running
}

// Add adds an object immediately.
func (q *timedQueue) Add(object reconcile.Request) {
	q.AddWithOpts(priorityqueue.AddOpts{}, object)
}

// AddAfter adds an object after a delay.
func (q *timedQueue) AddAfter(object reconcile.Request, delay time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: delay}, object)
}

// AddWithOpts adds objects. Objects with a delay are added when the clock reaches it. A retry after
// a failure waits for real time, because it is not planned.
func (q *timedQueue) AddWithOpts(options priorityqueue.AddOpts, objects ...reconcile.Request) {
	if options.RateLimited {
		q.PriorityQueue.AddWithOpts(options, objects...)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	at := q.now().Add(options.After)
	for _, object := range objects {
		if planned, found := q.later[object]; !found || at.Before(planned.at) {
			q.later[object] = timer{at: at, priority: options.Priority}
		}
	}
	q.releaseLocked()
}

// Done ends a pass, so that another can start.
func (q *timedQueue) Done(object reconcile.Request) {
	q.PriorityQueue.Done(object)
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.active, object)
	q.releaseLocked()
}

// release starts the passes that are due.
func (q *timedQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.releaseLocked()
}

func (q *timedQueue) releaseLocked() {
	now := q.now()
	for object, timer := range q.later {
		if _, out := q.active[object]; out || timer.at.After(now) {
			continue
		}
		delete(q.later, object)
		q.active[object] = struct{}{}
		q.PriorityQueue.AddWithOpts(priorityqueue.AddOpts{Priority: timer.priority}, object)
	}
}

func (q *timedQueue) busy() int {
	due := q.planned(0)
	q.mu.Lock()
	defer q.mu.Unlock()
	return due + len(q.active)
}

func (q *timedQueue) planned(within time.Duration) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	until, count := q.now().Add(within), 0
	for _, timer := range q.later {
		if !timer.at.After(until) {
			count++
		}
	}
	return count
}
