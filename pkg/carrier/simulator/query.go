package simulator

import (
	"cmp"
	"slices"
	"strconv"
)

// locked reads something that is guarded by the lock.
func locked[T any](s *Simulator, read func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return read()
}

// Service returns a service in its current state, with the effects of all completed requests.
func (s *Simulator) Service(id int64) (Service, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	svc := s.existing(id)
	if svc == nil {
		return Service{}, false
	}
	return svc.snapshot(s.now()), true
}

// Services returns all services, ordered by id.
func (s *Simulator) Services() []Service { return locked(s, s.serviceList) }

func (s *Simulator) serviceList() []Service {
	services := make([]Service, 0, len(s.state.Services))
	for id := range s.state.Services {
		if svc := s.existing(id); svc != nil {
			services = append(services, svc.snapshot(s.now()))
		}
	}
	slices.SortFunc(services, func(a, b Service) int { return cmp.Compare(a.ID, b.ID) })
	return services
}

// Orders returns all orders, ordered by id.
func (s *Simulator) Orders() []PlacedOrder { return locked(s, s.orderList) }

func (s *Simulator) orderList() []PlacedOrder {
	orders := make([]PlacedOrder, 0, len(s.state.Orders))
	for _, order := range s.state.Orders {
		orders = append(orders, order.PlacedOrder)
	}
	slices.SortFunc(orders, func(a, b PlacedOrder) int { return cmp.Compare(a.ID, b.ID) })
	return orders
}

// Calls returns the calls that are in the journal, oldest first.
func (s *Simulator) Calls() []Call { return locked(s, s.state.Journal.Calls.all) }

// Violations returns the rule violations by clients, oldest first.
func (s *Simulator) Violations() []Violation { return locked(s, s.state.Journal.Violations.all) }

// Submissions counts the POSTs of an operation for a service. If serviceID is 0, it counts all
// POSTs of the operation.
func (s *Simulator) Submissions(operation Operation, serviceID int64) Count {
	if serviceID == 0 {
		return s.SubmissionsAbout(operation, "")
	}
	return s.SubmissionsAbout(operation, strconv.FormatInt(serviceID, 10))
}

// SubmissionsAbout is Submissions for subjects other than services: a location id, order id or
// customer reference.
func (s *Simulator) SubmissionsAbout(operation Operation, subject string) Count {
	return locked(s, func() Count { return s.state.Journal.Counts[countKey(operation, subject)] })
}

// Deliveries returns the delivery attempts that are in the journal, oldest first.
func (s *Simulator) Deliveries() []Delivery { return locked(s, s.state.Journal.Deliveries.all) }

// Waiting returns how many events are waiting for their time or for another attempt.
func (s *Simulator) Waiting() int { return locked(s, func() int { return len(s.state.Events) }) }
