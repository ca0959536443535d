// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"sync"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

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
