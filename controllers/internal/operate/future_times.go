// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// NoteFutureTimes remembers which recorded times lie in the future, so that they count as the time
// at which they were first seen, and reports the new ones (R19).
func (p *Protocol) NoteFutureTimes(input *decide.Input, subject Subject) {
	ahead, report := decide.FindFutureTimes(input)
	if len(ahead)+len(input.Memory.FutureTimes) == 0 {
		return
	}
	input.Memory.FutureTimes = ahead
	p.Memory.Change(subject.GetUID(), input.Now, func(memory *decide.Memory) { memory.FutureTimes = ahead })
	if report != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventTimeAhead, "Judge", "%s", report)
	}
}

// CheckReservations checks the reservations of the login under which an account records. One with a
// time in the future counts from when it was first seen, and is reported (R19).
func (p *Protocol) CheckReservations(
	account *v1alpha1.CarrierAccount, login v1alpha1.CarrierLogin, reservations []v1alpha1.Reservation,
) decide.Spending {
	p.future.mu.Lock()
	elapsed, seen := p.Elapsed(), p.future.sightings(login)
	report := seen.Add(reservations, p.Now(), elapsed)
	seen = maps.Clone(seen)
	p.future.mu.Unlock()
	if report != "" {
		p.Events.Eventf(account, nil, corev1.EventTypeWarning, eventTimeAhead, "Judge", "%s", report)
	}
	return decide.Spending{Future: seen, Elapsed: elapsed}
}

// CheckAllReservations is CheckReservations for all recorded reservations of a login. It
// forgets the sightings of all other reservations of the login.
func (p *Protocol) CheckAllReservations(
	account *v1alpha1.CarrierAccount, login v1alpha1.CarrierLogin, reservations []v1alpha1.Reservation,
) decide.Spending {
	spending := p.CheckReservations(account, login, reservations)
	p.future.mu.Lock()
	defer p.future.mu.Unlock()
	maps.DeleteFunc(p.future.sightings(login), func(id string, _ time.Duration) bool {
		return !slices.ContainsFunc(reservations, func(one v1alpha1.Reservation) bool { return one.AttemptID == id })
	})
	return spending
}

// futureReservations holds, by login, when this process first saw reservations with a time in
// the future.
type futureReservations struct {
	mu sync.Mutex
	by map[v1alpha1.CarrierLogin]decide.FutureReservations
}

// sightings returns the sightings of a login. The lock must be held.
func (s *futureReservations) sightings(login v1alpha1.CarrierLogin) decide.FutureReservations {
	if s.by[login] == nil {
		if s.by == nil {
			s.by = map[v1alpha1.CarrierLogin]decide.FutureReservations{}
		}
		s.by[login] = decide.FutureReservations{}
	}
	return s.by[login]
}
