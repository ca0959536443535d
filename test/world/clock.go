// SPDX-License-Identifier: Apache-2.0

package world

import (
	"sync"
	"time"
)

// Clock is the only clock of a world: operator, carrier and identity provider read it, and only the
// test moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that starts at a fixed moment, so that a run is the same on every day.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
}

// Now returns the time in the world.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets time pass.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}
