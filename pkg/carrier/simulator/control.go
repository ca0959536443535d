package simulator

import (
	"cmp"
	"fmt"
	"time"
)

// change changes the state.
func (s *Simulator) change(apply func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	apply()
}

// Advance moves the carrier's clock forward. The identity provider's clock does not change, because
// clients date their assertions by their own clock.
func (s *Simulator) Advance(by time.Duration) { s.change(func() { s.state.Skew += by }) }

// SetServiceReadLag changes how old each reading of a service is (seed: serviceRead.lag).
func (s *Simulator) SetServiceReadLag(lag time.Duration) {
	s.change(func() { s.state.ReadLag = max(lag, 0) })
}

// DisableHostile turns a hostile carrier into a friendly one. Earlier effects remain.
func (s *Simulator) DisableHostile() { s.change(func() { s.hostile = nil }) }

// Forget drops all requests, as if the carrier had lost its data, so polling one of them then
// returns 404. The dropped requests still take effect.
func (s *Simulator) Forget() { s.change(func() { s.state.Requests = make(map[string]*request) }) }

// RevokeTokens makes every access token invalid.
func (s *Simulator) RevokeTokens() { s.change(func() { s.state.Tokens = expiring[string]{} }) }

// SetKeys replaces a client's public keys, in PEM by kid. Issued tokens remain valid.
func (s *Simulator) SetKeys(clientName string, texts map[string]string) error {
	keys, err := parseKeys(texts)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	holder, known := s.clients[clientName]
	if !known {
		return fmt.Errorf("there is no client %q", clientName)
	}
	holder.Keys, holder.keys = texts, keys
	return nil
}

// SetCallback replaces the callback of a client, and the secret if one is given. Events that are
// already waiting are sent there, too.
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

// AddService adds a service or replaces the one with its id.
func (s *Simulator) AddService(service Service) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	if s.clients[service.Client] == nil || service.ID <= 0 {
		return fmt.Errorf("service %d: there is no client %q, or no id", service.ID, service.Client)
	}
	if err := service.Cancellation.check(); err != nil {
		return fmt.Errorf("service %d: cancellation: %w", service.ID, err)
	}
	s.putService(service, s.now())
	return nil
}

// AddQualification adds a service qualification or replaces the one with its id.
func (s *Simulator) AddQualification(site Qualification) error {
	if err := site.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[site.Client] == nil {
		return fmt.Errorf("qualification %s: there is no client %q", site.QualificationSearchID, site.Client)
	}
	s.catalog.sites[site.QualificationSearchID] = site
	return nil
}

// RemoveService removes a service, so that it no longer exists for any client.
func (s *Simulator) RemoveService(id int64) { s.change(func() { delete(s.state.Services, id) }) }

// SetPlan changes the plan of a service without a request. A plan change in progress still takes
// effect later.
func (s *Simulator) SetPlan(serviceID int64, plan string) error {
	return s.edit(serviceID, func(svc *serviceState) {
		now := s.now()
		svc.Plans.set(now, planAndTerm{Name: plan, Term: svc.Plans.at(now).Term})
	})
}

// SetHealth changes the result of health requests.
func (s *Simulator) SetHealth(serviceID int64, health Health) error {
	return s.edit(serviceID, func(svc *serviceState) { svc.Health = health })
}

// SetCancellation replaces the cancellation of a service; nil is none.
func (s *Simulator) SetCancellation(serviceID int64, cancellation *Cancellation) error {
	if err := cancellation.check(); err != nil {
		return err
	}
	return s.edit(serviceID, func(svc *serviceState) {
		svc.Cancellation = cancellation
		svc.CancellationState = s.cancellationOf(&svc.Service, s.now())
		s.announceCancellation(svc)
	})
}

// edit applies a change to an existing service.
func (s *Simulator) edit(serviceID int64, change func(*serviceState)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	svc := s.existing(serviceID)
	if svc == nil {
		return fmt.Errorf("there is no service %d", serviceID)
	}
	change(svc)
	return nil
}

// CancelAppointment makes the carrier cancel the appointment of an order. The specification has no
// appointments, so only two things show it: the event appointment.cancelled in the header form, and
// a read of the order (extension OrderRead). The reason is in the event only.
func (s *Simulator) CancelAppointment(orderID int64, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	placed, known := s.state.Orders[orderID]
	if !known {
		return fmt.Errorf("there is no order %d", orderID)
	}
	placed.AppointmentCancelledAt = s.now()
	s.state.Orders[orderID] = placed
	notice := s.appointmentAt(&placed, s.now())
	notice["reason"] = reason
	s.announce(appointmentCancelled, event{
		Client: placed.Client, OrderID: orderID, HappensAt: s.now(), Resource: encoded(notice),
	})
	return nil
}
