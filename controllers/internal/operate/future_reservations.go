// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"sync"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// futureReservations holds, by identity, when this process first saw reservations with a time in
// the future.
type futureReservations struct {
	mu sync.Mutex
	by map[string]decide.FutureReservations
}

// sightings returns the sightings of an identity. The lock must be held.
func (s *futureReservations) sightings(identity string) decide.FutureReservations {
	if s.by[identity] == nil {
		if s.by == nil {
			s.by = map[string]decide.FutureReservations{}
		}
		s.by[identity] = decide.FutureReservations{}
	}
	return s.by[identity]
}
