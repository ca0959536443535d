// Package outbox has the events that are not delivered yet, in the order in which they are due.
package outbox

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Event is a notification that waits for its time, or for another attempt. Without a Resource, it
// has only references, and its content is read when it is sent.
type Event struct {
	Number    int64     `json:"number"`
	Name      string    `json:"name,omitempty"`
	Dotted    string    `json:"dotted,omitempty"`
	Model     string    `json:"model"`
	Client    string    `json:"client"`
	ServiceID int64     `json:"serviceId,omitempty"`
	OrderID   int64     `json:"orderId,omitempty"`
	RequestID int64     `json:"requestId,omitempty"`
	HappensAt time.Time `json:"happensAt"`
	// Resource is the subject of the event; nil if the subject is the service.
	Resource json.RawMessage `json:"resource,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	NextAt   time.Time       `json:"nextAt"`
}

// Outbox has all events that are neither delivered nor given up, in the order in which they are
// due.
type Outbox struct {
	waiting map[int64]*Event
	queue   eventQueue
	// Last is the number of the newest event.
	Last int64
}

// New returns an empty outbox.
func New() Outbox { return Outbox{waiting: make(map[int64]*Event)} }

// Put queues an event for its time.
func (o *Outbox) Put(e *Event) {
	o.waiting[e.Number] = e
	heap.Push(&o.queue, e)
}

// Drop removes an event.
func (o *Outbox) Drop(e *Event) { delete(o.waiting, e.Number) }

// Len returns how many events are waiting.
func (o *Outbox) Len() int { return len(o.waiting) }

// Copies returns copies of all events that are waiting, in no order.
func (o *Outbox) Copies() []*Event {
	all := slices.Collect(maps.Values(o.waiting))
	for i, e := range all {
		copied := *e
		all[i] = &copied
	}
	return all
}

// Due takes the next due event out of the queue; nil if there is none. The event still counts as
// waiting until it is dropped.
func (o *Outbox) Due(now time.Time) *Event {
	if len(o.queue) == 0 || o.queue[0].NextAt.After(now) {
		return nil
	}
	next, isEvent := heap.Pop(&o.queue).(*Event)
	if !isEvent {
		return nil // nothing else is ever pushed
	}
	return next
}

// eventQueue is a heap ordered by time, then by number.
type eventQueue []*Event

// Len returns the number of queued events.
func (q *eventQueue) Len() int { return len(*q) }

// Less reports whether event i is due before event j.
func (q *eventQueue) Less(i, j int) bool {
	a, b := (*q)[i], (*q)[j]
	return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.Number, b.Number)) < 0
}

// Swap exchanges two events.
func (q *eventQueue) Swap(i, j int) { (*q)[i], (*q)[j] = (*q)[j], (*q)[i] }

// Push appends an event.
func (q *eventQueue) Push(value any) {
	if e, isEvent := value.(*Event); isEvent {
		*q = append(*q, e)
	}
}

// Pop removes the last event.
func (q *eventQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}
