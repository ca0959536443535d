// SPDX-License-Identifier: Apache-2.0

package sessions

import "time"

// Usage is what the sessions of all accounts show at a moment.
type Usage struct {
	Sessions     int
	OpenBreakers int       // logins whose chargeable requests are held back
	OldestToken  time.Time // when the oldest token in use was granted; zero: none is in use
}

// Usage returns what the sessions show now.
func (r *Registry) Usage() Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	usage := Usage{Sessions: len(r.sessions)}
	for _, state := range r.logins {
		if state.breaker.isOpen() {
			usage.OpenBreakers++
		}
	}
	for _, kept := range r.sessions {
		at := kept.session.tokens.GrantedAt()
		if !at.IsZero() && (usage.OldestToken.IsZero() || at.Before(usage.OldestToken)) {
			usage.OldestToken = at
		}
	}
	return usage
}

// isOpen reports whether chargeable requests are held back.
func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holds(b.now())
}
