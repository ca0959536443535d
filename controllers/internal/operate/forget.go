// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"maps"
	"slices"
	"time"
)

// keepUnlisted: what this process has seen of a ledger that is no longer there is kept for an hour: by
// then the objects that went by it have shown that it is lost.
const keepUnlisted = time.Hour

// Sweep drops what this process has seen of ledgers that have not been there for an hour. "The process
// keeps the highest revision that it has seen of each ledger" that lives (R6, R28).
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

// Forget drops what this process has seen of a ledger that was let go: a new one of its name has lost
// nothing.
func (l *Ledgers) Forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, name)
	delete(l.writes, name)
}
