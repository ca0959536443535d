// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

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
	memory  decide.Memory
	attempt string // the attempt that AttemptSeen, LastLook and Failures speak of, with its phase
}

// NewLedger opens an empty ledger. The sender is drawn at random at process start,
// never the pod's name: a pod that restarts is another sender.
func NewLedger(sender string) *Ledger {
	return &Ledger{sender: sender, posted: map[string]*carrier.Receipt{}, objects: map[types.UID]*entry{}}
}

// Sender is this process's id.
func (l *Ledger) Sender() string { return l.sender }

// Recall is what is remembered of an object, whose open attempt and its phase are
// given ("" for none). What is seen for the first time is seen now.
func (l *Ledger) Recall(uid types.UID, attemptID, phase string, now time.Time) decide.Memory {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.entry(uid, now)
	if attempt := attemptID + "/" + phase; held.attempt != attempt {
		held.attempt = attempt
		held.memory.AttemptSeen, held.memory.LastLook = now, now
		held.memory.Failures, held.memory.PollError = 0, nil
	}
	memory := held.memory
	memory.Receipt, memory.Posted = l.posted[attemptID], l.wasPosted(attemptID)
	return memory
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
