package simulator

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"time"
)

// event is a notification that waits for its time, or for another attempt. It has only references;
// its content is read when it is sent.
type event struct {
	Number    int64     `json:"number"`
	Name      string    `json:"name,omitempty"`
	Dotted    string    `json:"dotted,omitempty"`
	Model     string    `json:"model"`
	Client    string    `json:"client"`
	ServiceID int64     `json:"serviceId,omitempty"`
	OrderID   int64     `json:"orderId,omitempty"`
	RequestID int64     `json:"requestId,omitempty"`
	HappensAt time.Time `json:"happensAt"`
	// Resource is the subject of the event; nil for the service.
	Resource json.RawMessage `json:"resource,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	NextAt   time.Time       `json:"nextAt"`
}

// outbox has all events that are neither delivered nor given up, in the order in which they are
// due.
type outbox struct {
	waiting map[int64]*event
	queue   eventQueue
	last    int64
}

func newOutbox() outbox { return outbox{waiting: make(map[int64]*event)} }

// put queues an event for its time.
func (o *outbox) put(e *event) {
	o.waiting[e.Number] = e
	heap.Push(&o.queue, e)
}

// drop removes an event.
func (o *outbox) drop(e *event) { delete(o.waiting, e.Number) }

// due takes the next due event out of the queue; nil if there is none. It counts as waiting until
// it is dropped or put back.
func (o *outbox) due(now time.Time) *event {
	if len(o.queue) == 0 || o.queue[0].NextAt.After(now) {
		return nil
	}
	next, isEvent := heap.Pop(&o.queue).(*event)
	if !isEvent {
		return nil // nothing else is ever pushed
	}
	return next
}

// eventQueue is a heap ordered by time, then by number.
type eventQueue []*event

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
	if e, isEvent := value.(*event); isEvent {
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

// announce schedules an event. A client without a callback gets none, and one with the
// specification's form gets no event that the specification does not have.
func (s *Simulator) announce(kind eventKind, e event) {
	holder := s.clients[e.Client]
	if holder == nil {
		return
	}
	if callback, _ := s.callbackOf(holder); callback == "" {
		return
	}
	e.Name, e.Dotted, e.Model = kind.name, kind.dotted, kind.model
	e.Number = s.outbox.last + 1
	if s.formOf(&e) == "" {
		return
	}
	s.outbox.last, e.NextAt = e.Number, e.HappensAt
	s.outbox.put(&e)
}

// formOf returns the form in which an event is sent: that of the seed if the event has a name in
// it, otherwise "". Mixed falls back to the form that has a name.
func (s *Simulator) formOf(e *event) EventForm {
	inSpecification, inHeaders := e.Name != "", e.Dotted != ""
	switch s.options.Seed.Events.Form {
	case EventsInHeaders:
		if inHeaders {
			return EventsInHeaders
		}
	case EventsMixed:
		if inHeaders && (e.Number%2 == 0 || !inSpecification) {
			return EventsInHeaders
		}
		return EventsOfSpecification
	case EventsOfSpecification, "":
		if inSpecification {
			return EventsOfSpecification
		}
	}
	return ""
}

// announceEnd announces the end of a request if its family has events (spec §6).
func (s *Simulator) announceEnd(kind family, svc *serviceState, r *request) {
	if kind.announce == nil {
		return
	}
	for _, named := range kind.announce(s, svc, r) {
		s.announce(named, event{Client: r.Client, ServiceID: r.ServiceID, RequestID: r.Number, HappensAt: r.DoneAt})
	}
}

// announceCancellation announces that a service will be canceled. If it is not canceled by then,
// the event is dropped.
func (s *Simulator) announceCancellation(svc *serviceState) {
	if svc.cancellation.LastStatus == cancelRequested {
		s.announce(serviceCancelled(), event{Client: svc.Client, ServiceID: svc.ID, HappensAt: svc.cancellation.DueAt})
	}
}

// announceRejection announces the rejection of an order, with the order as it was placed.
func (o *order) announceRejection(placed PlacedOrder) {
	info := o.info(placed)
	notice := eventOrder{
		orderInfo: info, Type: info.OrderType,
		RejectedReason: placed.RejectedReason, RejectedOn: timestamp(placed.RejectedAt),
	}
	o.sim.announce(orderRejected(), event{
		Client: placed.Client, OrderID: placed.ID, HappensAt: placed.RejectedAt, Resource: encoded(notice),
	})
}

// encoded returns a value of this package as JSON.
func encoded(value any) json.RawMessage {
	content, err := json.Marshal(value)
	if err != nil {
		return nil // every value of this package can be marshaled
	}
	return content
}

// CancelAppointment makes the carrier cancel an appointment of an order. The specification has no
// appointments, so this only sends an event: appointment.cancelled, in the header form.
func (s *Simulator) CancelAppointment(orderID int64, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	placed, known := s.orders[orderID]
	if !known {
		return fmt.Errorf("there is no order %d", orderID)
	}
	notice := eventAppointment{ID: s.nextID(), OrderID: orderID, Status: "CANCELLED", Reason: reason}
	s.announce(appointmentCancelled(), event{
		Client: placed.Client, OrderID: orderID, HappensAt: s.now(), Resource: encoded(notice),
	})
	return nil
}

// SetCallback replaces the callback of a client, and the secret if one is given. Waiting events are
// sent there as well.
func (s *Simulator) SetCallback(clientName, callback, secret string) error {
	if err := CheckCallback(callback); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	holder, known := s.clients[clientName]
	if !known {
		return fmt.Errorf("there is no client %q", clientName)
	}
	holder.Callback, holder.CallbackSecret = callback, cmp.Or(secret, holder.CallbackSecret)
	return nil
}
