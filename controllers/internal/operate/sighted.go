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

// sighted holds, by identity, when this process first saw reservations with a time in the future.
type sighted struct {
	mu sync.Mutex
	by map[string]decide.Sightings
}

// sightings returns the sightings of an identity. The lock must be held.
func (s *sighted) sightings(identity string) decide.Sightings {
	if s.by[identity] == nil {
		if s.by == nil {
			s.by = map[string]decide.Sightings{}
		}
		s.by[identity] = decide.Sightings{}
	}
	return s.by[identity]
}

// Sight checks the reservations of an account's identity. One with a time in the future "counts as
// now (and is reported)" (R19).
func (p *Protocol) Sight(account *v1alpha1.CarrierAccount, reservations []v1alpha1.Reservation) decide.Spending {
	p.sighted.mu.Lock()
	elapsed, seen := p.Elapsed(), p.sighted.sightings(account.IdentityName())
	report := seen.Sight(reservations, p.Now(), elapsed)
	seen = maps.Clone(seen)
	p.sighted.mu.Unlock()
	if report != "" {
		p.Events.Eventf(account, nil, corev1.EventTypeWarning, eventTimeAhead, "Judge", "%s", report)
	}
	return decide.Spending{Seen: seen, Elapsed: elapsed}
}

// SightAll is Sight for all recorded reservations of an identity: sightings of others are
// forgotten.
func (p *Protocol) SightAll(account *v1alpha1.CarrierAccount, reservations []v1alpha1.Reservation) decide.Spending {
	spending := p.Sight(account, reservations)
	p.sighted.mu.Lock()
	defer p.sighted.mu.Unlock()
	maps.DeleteFunc(p.sighted.sightings(account.IdentityName()), func(id string, _ time.Duration) bool {
		return !slices.ContainsFunc(reservations, func(one v1alpha1.Reservation) bool { return one.AttemptID == id })
	})
	return spending
}
