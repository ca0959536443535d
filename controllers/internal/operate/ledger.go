// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Ledger is what this process remembers of the objects beside their status. It is
// empty after a start, and nothing is lost by that.
type Ledger struct {
	mu      sync.Mutex
	sender  string
	posted  map[string]*carrier.Receipt // attempt id → the answer; nil while there is none
	objects map[types.UID]*entry
}

type entry struct {
	memory   decide.Memory
	attempts map[string]remembered // attempt id → what is remembered of it
}

// remembered is an attempt and the phase in which it was seen.
type remembered struct {
	decide.Attempt

	phase v1alpha1.RequestPhase
}

// NewLedger opens an empty ledger. The sender is drawn at random at process start,
// never the pod's name: a pod that restarts is another sender.
func NewLedger(sender string) *Ledger {
	return &Ledger{sender: sender, posted: map[string]*carrier.Receipt{}, objects: map[types.UID]*entry{}}
}

// Sender is this process's id.
func (l *Ledger) Sender() string { return l.sender }

// Recall is what is remembered of an object and of its open attempts. What is seen for
// the first time is seen now; an attempt that has ended is forgotten.
func (l *Ledger) Recall(uid types.UID, open []*v1alpha1.Request, now time.Time) decide.Memory {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.entry(uid, now)
	attempts := map[string]remembered{}
	memory := held.memory
	memory.Attempts = map[string]decide.Attempt{}
	for _, request := range open {
		known, found := held.attempts[request.AttemptID]
		if !found || known.phase != request.Phase {
			known = remembered{decide.Attempt{Seen: now, LastLook: now}, request.Phase}
		}
		known.Receipt, known.Posted = l.posted[request.AttemptID], l.wasPosted(request.AttemptID)
		attempts[request.AttemptID], memory.Attempts[request.AttemptID] = known, known.Attempt
	}
	held.attempts = attempts
	return memory
}

// NoteAttempt changes what is remembered of an attempt that was recalled.
func (l *Ledger) NoteAttempt(uid types.UID, now time.Time, attemptID string, change func(*decide.Attempt)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.entry(uid, now)
	known, found := held.attempts[attemptID]
	if !found {
		return
	}
	change(&known.Attempt)
	held.attempts[attemptID] = known
}

// Receipt is the answer to an attempt's POST that is not in the status yet, or nil.
func (l *Ledger) Receipt(attemptID string) *carrier.Receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.posted[attemptID]
}

// Note changes what is remembered of an object.
func (l *Ledger) Note(uid types.UID, now time.Time, change func(*decide.Memory)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.entry(uid, now).memory)
}

// Posting remembers, just before the POST, that this attempt may leave the process.
func (l *Ledger) Posting(attemptID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posted[attemptID] = nil
}

// Answered remembers the answer until it is in the status.
func (l *Ledger) Answered(attemptID string, receipt carrier.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posted[attemptID] = &receipt
}

// Recorded drops an answer that is in the status. That the attempt was posted stays
// known: a cache that lags behind may still show its intent.
func (l *Ledger) Recorded(attemptID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posted[attemptID] = nil
}

// Posted says whether an attempt may have left this process.
func (l *Ledger) Posted(attemptID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wasPosted(attemptID)
}

// Forget drops what is remembered of an object that is gone.
func (l *Ledger) Forget(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.objects, uid)
}

func (l *Ledger) entry(uid types.UID, now time.Time) *entry {
	held, found := l.objects[uid]
	if !found {
		held = &entry{memory: decide.Memory{Sender: l.sender, FirstSeen: now}}
		l.objects[uid] = held
	}
	return held
}

func (l *Ledger) wasPosted(attemptID string) bool {
	_, found := l.posted[attemptID]
	return found
}
