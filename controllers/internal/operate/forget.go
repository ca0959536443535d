// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"maps"
	"slices"
	"time"
)

// keepUnlisted is how long the revision seen of a missing ledger is kept. Within this hour, the
// objects that use the ledger have reported it as lost.
const keepUnlisted = time.Hour

// Sweep forgets the ledgers that have been missing for an hour. "The process keeps the highest
// revision that it has seen of each ledger" that still exists (R6, R28).
func (l *Ledgers) Sweep(lives func(name string) bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	unlisted := map[string]time.Time{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(l.seen)), slices.Collect(maps.Keys(l.writes))) {
		if lives(name) {
			continue
		}
		since, noted := l.unlisted[name]
		if !noted {
			since = now
		}
		unlisted[name] = since
	}
	maps.DeleteFunc(unlisted, func(name string, since time.Time) bool {
		over := now.Sub(since) >= keepUnlisted
		if over {
			delete(l.seen, name)
			delete(l.writes, name)
		}
		return over
	})
	l.unlisted = unlisted
}

// Forget drops the revision seen of a ledger that was deleted on purpose: a new ledger of the same
// name has lost nothing.
func (l *Ledgers) Forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, name)
	delete(l.writes, name)
}
