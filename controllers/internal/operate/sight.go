// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// sight is the newest state that this process has seen of a ledger. It includes the attempts,
// because after a restore a different ledger may have the same revision. A first revision in
// particular does not identify a ledger.
type sight struct {
	revision int64
	attempts []string // the ids of its attempts
}

// isBehind reports whether a ledger lacks something that this process has seen of it: "The process
// keeps the highest revision that it has seen of each ledger" (R6), and the attempts of that
// revision.
func (l *Ledgers) isBehind(name string, ledger *v1alpha1.RequestLedger) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen[name]
	if revision := revisionOf(ledger); revision != seen.revision || ledger == nil {
		return revision < seen.revision
	}
	has := ledger.AttemptIDs()
	return slices.ContainsFunc(seen.attempts, func(id string) bool { return !slices.Contains(has, id) })
}

// note stores what a ledger contains, if that is the newest state seen of it.
func (l *Ledgers) note(name string, ledger *v1alpha1.RequestLedger) {
	if ledger == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]sight{}
	}
	seen := l.seen[name]
	if newer := ledger.Spec.Revision - seen.revision; newer > 0 || newer == 0 && seen.attempts == nil {
		l.seen[name] = sight{ledger.Spec.Revision, ledger.AttemptIDs()}
	}
}

// noteShown stores the revision that a status claims to have seen.
func (l *Ledgers) noteShown(name string, revision int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]sight{}
	}
	if revision > l.seen[name].revision {
		l.seen[name] = sight{revision: revision}
	}
}
