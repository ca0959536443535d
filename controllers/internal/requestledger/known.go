// SPDX-License-Identifier: Apache-2.0

package requestledger

import (
	"slices"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// knownLedgers is what this process has seen of each ledger, and what it has written.
type knownLedgers struct {
	mu    sync.Mutex
	known map[string]ledgerState // by name
}

// ledgerState is the newest state that this process has seen of a ledger. It includes the attempts,
// because after a restore a different ledger may have the same revision. A first revision in
// particular does not identify a ledger.
type ledgerState struct {
	revision int64
	attempts []string // the ids of its attempts

	written int64     // the revision that this process wrote last, or is about to write
	missing time.Time // since when the ledger has been missing; zero: it exists
}

// change changes what is known of a ledger.
func (k *knownLedgers) change(name string, change func(*ledgerState)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]ledgerState{}
	}
	state := k.known[name]
	change(&state)
	k.known[name] = state
}

// of returns what is known of a ledger.
func (k *knownLedgers) of(name string) ledgerState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[name]
}

// isBehind reports whether a ledger lacks something that this process has seen of it: the highest
// revision, or an attempt of that revision (R6).
func (k *knownLedgers) isBehind(name string, ledger *v1alpha1.RequestLedger) bool {
	seen := k.of(name)
	if revision := revisionOf(ledger); revision != seen.revision || ledger == nil {
		return revision < seen.revision
	}
	has := ledger.AttemptIDs()
	return slices.ContainsFunc(seen.attempts, func(id string) bool { return !slices.Contains(has, id) })
}

// note stores what a ledger contains, if that is the newest state seen of it.
func (k *knownLedgers) note(name string, ledger *v1alpha1.RequestLedger) {
	if ledger == nil {
		return
	}
	k.change(name, func(seen *ledgerState) {
		if newer := ledger.Spec.Revision - seen.revision; newer > 0 || newer == 0 && seen.attempts == nil {
			seen.revision, seen.attempts = ledger.Spec.Revision, ledger.AttemptIDs()
		}
	})
}

// noteShown stores the revision that a status claims to have seen.
func (k *knownLedgers) noteShown(name string, revision int64) {
	if revision == 0 {
		return
	}
	k.change(name, func(seen *ledgerState) {
		if revision > seen.revision {
			seen.revision, seen.attempts = revision, nil
		}
	})
}

// IsNews reports whether a revision of a ledger was written by another process and is new to this
// one. A watch may show a revision that this process wrote before the response to that write
// arrives.
func (k *knownLedgers) IsNews(name string, revision int64) bool {
	seen := k.of(name)
	return revision > max(seen.revision, seen.written)
}

// keepUnlisted is how long the revision seen of a missing ledger is kept. Within this hour, the
// objects that use the ledger will have reported it as lost.
const keepUnlisted = time.Hour

// Sweep forgets the ledgers that have been missing for an hour (R28). What was seen of all other
// ledgers is kept (R6).
func (k *knownLedgers) Sweep(lives func(name string) bool, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, state := range k.known {
		switch {
		case lives(name):
			state.missing = time.Time{}
		case state.missing.IsZero():
			state.missing = now
		case now.Sub(state.missing) >= keepUnlisted:
			delete(k.known, name)
			continue
		}
		k.known[name] = state
	}
}

// Forget drops the revision seen of a ledger that was deleted on purpose, because a new ledger of
// the same name has lost nothing.
func (k *knownLedgers) Forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, name)
}

// Plausible returns the revision, or 0 if no ledger can have reached it, so that somebody else
// must have written it (R5).
func Plausible(revision int64) int64 {
	if revision > 1<<53 {
		return 0
	}
	return revision
}

func revisionOf(ledger *v1alpha1.RequestLedger) int64 {
	if ledger == nil {
		return 0
	}
	return ledger.Spec.Revision
}
