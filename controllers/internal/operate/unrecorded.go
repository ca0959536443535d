// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"maps"
	"sync"
)

// unrecorded has, by attempt, the carrier's responses that could not be written to a ledger within
// a minute.
type unrecorded struct {
	mu   sync.Mutex
	jobs map[string]Scope
}

// keep stores a scope until its response is recorded, and reports whether it is new.
func (u *unrecorded) keep(attemptID string, scope Scope) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, held := u.jobs[attemptID]
	if u.jobs == nil {
		u.jobs = map[string]Scope{}
	}
	u.jobs[attemptID] = scope
	return !held
}

func (u *unrecorded) drop(attemptID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.jobs, attemptID)
}

func (u *unrecorded) all() map[string]Scope {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.jobs)
}
