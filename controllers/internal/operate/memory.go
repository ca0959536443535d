// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	// sweepEvery is the interval between sweeps of the memory.
	sweepEvery = time.Minute

	// keepPosted is how long the id of an attempt is kept after the ledger has its outcome (R28). A
	// pass may still read an older copy of the ledger, in which it is open.
	keepPosted = time.Hour

	// keepGone is how long a pass over a deleted object may still be running.
	keepGone = time.Hour
)

// Memory is the in-memory state of this process about objects, in addition to their status. It is
// empty after a start. Its contents are then read again, and an unrecorded response counts as
// lost. It keeps only the state of objects that exist (R28): see sweep.
type Memory struct {
	mu      sync.Mutex
	sender  string
	posted  map[string]posting // by attempt id
	objects map[types.UID]*entry
	gone    map[types.UID]time.Time // deleted objects, and when the deletion was noticed; zero: not dated yet
	swept   time.Time               // when the last sweep was
	dropped time.Time               // the newest submission time among the attempts dropped from posted
}

// entry keeps what is remembered of one object. The readings are a map, because most topics are
// never read and an empty reading takes a kilobyte.
type entry struct {
	observed decide.Observed
	readings map[decide.Topic]decide.Reading
	attempts map[string]remembered // by attempt id
	written  write                 // the last status that this process wrote
}

// memory returns what is remembered of an object, without its attempts.
func (e *entry) memory() decide.Memory {
	memory := decide.Memory{Observed: e.observed}
	for topic, reading := range e.readings {
		*memory.Readings.Of(topic) = reading
	}
	return memory
}

// change changes what is remembered of an object.
func (e *entry) change(change func(*decide.Memory)) {
	memory := e.memory()
	change(&memory)
	e.observed = memory.Observed
	clear(e.readings)
	for _, topic := range decide.Topics() {
		if reading := memory.Readings.Of(topic); !reflect.ValueOf(reading).Elem().IsZero() {
			e.readings[topic] = *reading
		}
	}
}

// dropStale drops outdated results of the topics that keep much data. It skips all other topics,
// because all passes wait during a sweep.
func (e *entry) dropStale(now time.Time) {
	for _, topic := range []decide.Topic{decide.TopicOptions, decide.TopicDisruptions} {
		if reading, found := e.readings[topic]; found && reading.DropStale(topic, now) {
			e.readings[topic] = reading
		}
	}
}

// write is one write of an object.
type write struct {
	version string // its resourceVersion after the write
	at      time.Time
}

// posting is a POST made by this process.
type posting struct {
	submittedAt time.Time        // as in the intent
	receipt     *carrier.Receipt // the response, until it is recorded
	recordedAt  time.Time        // when the response was recorded; zero: not yet
}

// remembered is the state of an attempt, and the phase in which it was seen.
type remembered struct {
	decide.Attempt

	phase v1alpha1.RequestPhase
}

// NewMemory returns an empty Memory. The sender is drawn at random at process start. It is never
// the pod's name: a restarted pod is a different sender.
func NewMemory(sender string) *Memory {
	return &Memory{
		sender: sender, posted: map[string]posting{}, objects: map[types.UID]*entry{}, gone: map[types.UID]time.Time{},
	}
}

// Sender returns the id of this process.
func (m *Memory) Sender() string { return m.sender }

// Recall returns what is remembered of an object and of its open attempts. The times of an attempt
// that is seen for the first time, or in a new phase, start now; an attempt that has ended is
// forgotten.
func (m *Memory) Recall(uid types.UID, open []*v1alpha1.Request, now time.Time) decide.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.entry(uid, now)
	attempts := map[string]remembered{}
	memory := held.memory()
	memory.Attempts = map[string]decide.Attempt{}
	for _, request := range open {
		known, found := held.attempts[request.AttemptID]
		if !found || known.phase != request.Phase {
			known = remembered{decide.Attempt{FirstSeen: now, LastPoll: now}, request.Phase}
		}
		known.Receipt, known.Posted = m.posted[request.AttemptID].receipt, m.mayHavePosted(request)
		attempts[request.AttemptID], memory.Attempts[request.AttemptID] = known, known.Attempt
	}
	held.attempts = attempts
	return memory
}

// mayHavePosted reports whether an attempt may have left this process. An attempt of this process
// counts as posted if it is no newer than a dropped attempt: it may have been posted and dropped,
// too, and must not be sent twice.
func (m *Memory) mayHavePosted(request *v1alpha1.Request) bool {
	_, held := m.posted[request.AttemptID]
	return held || request.Sender == m.sender && !request.SubmittedAt.After(m.dropped)
}

// NoteAttempt changes what is remembered of an attempt returned by Recall.
func (m *Memory) NoteAttempt(uid types.UID, now time.Time, attemptID string, change func(*decide.Attempt)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.entry(uid, now)
	known, found := held.attempts[attemptID]
	if !found {
		return
	}
	change(&known.Attempt)
	held.attempts[attemptID] = known
}

// SeenFor returns for how long this process has seen an attempt in its present phase.
func (m *Memory) SeenFor(uid types.UID, attemptID string, now time.Time) (seen time.Duration) {
	m.NoteAttempt(uid, now, attemptID, func(attempt *decide.Attempt) { seen = now.Sub(attempt.FirstSeen) })
	return seen
}

// Receipt returns the response to an attempt's POST that is not recorded yet, or nil.
func (m *Memory) Receipt(attemptID string) *carrier.Receipt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.posted[attemptID].receipt
}

// View returns what is remembered of an object, without its attempts.
func (m *Memory) View(uid types.UID) decide.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	held, found := m.objects[uid]
	if !found {
		return decide.Memory{}
	}
	return held.memory()
}

// Change changes what is remembered of an object.
func (m *Memory) Change(uid types.UID, now time.Time, change func(*decide.Memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entry(uid, now).change(change)
}

// Wrote remembers that this process wrote the status of an object.
func (m *Memory) Wrote(object client.Object, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entry(object.GetUID(), now).written = write{object.GetResourceVersion(), now}
}

// Behind returns how long ago this process wrote the status, if the cached copy is older than that
// write; zero if it is not older.
func (m *Memory) Behind(object client.Object, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	held, found := m.objects[object.GetUID()]
	if !found {
		return 0
	}
	order, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), held.written.version)
	if err != nil || order >= 0 {
		return 0
	}
	return max(now.Sub(held.written.at), 1)
}

// Posting remembers, before the intent is written, that this attempt may leave the process.
func (m *Memory) Posting(attemptID string, submittedAt time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.posted[attemptID] = posting{submittedAt: submittedAt}
}

// NotPosted undoes Posting when no intent was written or the gate was closed.
func (m *Memory) NotPosted(attemptID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.posted, attemptID)
}

// SetReceipt remembers the response until it is recorded.
func (m *Memory) SetReceipt(attemptID string, receipt carrier.Receipt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	post := m.posted[attemptID]
	post.receipt = &receipt
	m.posted[attemptID] = post
}

// Recorded drops a response that is recorded. The fact that the attempt was posted is kept for a
// while, because a stale cache may still show its intent.
func (m *Memory) Recorded(attemptID string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	post := m.posted[attemptID]
	post.receipt, post.recordedAt = nil, now
	m.posted[attemptID] = post
}

// Forget drops what is remembered of a deleted object.
func (m *Memory) Forget(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, uid)
	m.gone[uid] = time.Time{}
}

// Sweep drops what is no longer needed. Passes do so, too, but a standby runs none, although it
// is notified of every deleted object.
func (m *Memory) Sweep(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep(now)
}

func (m *Memory) entry(uid types.UID, now time.Time) *entry {
	m.sweep(now)
	held, found := m.objects[uid]
	if !found {
		held = &entry{
			observed: decide.Observed{Sender: m.sender, FirstSeen: now}, readings: make(map[decide.Topic]decide.Reading),
		}
		m.objects[uid] = held
	}
	return held
}

// sweep drops what is no longer needed (R28). An unrecorded response is kept until it is
// recorded.
func (m *Memory) sweep(now time.Time) {
	if now.Before(m.swept.Add(sweepEvery)) {
		return
	}
	m.swept = now
	for id, post := range m.posted {
		if !post.recordedAt.IsZero() && !now.Before(post.recordedAt.Add(keepPosted)) {
			delete(m.posted, id)
			m.noteDropped(post.submittedAt)
		}
	}
	for _, held := range m.objects {
		held.dropStale(now)
	}
	m.sweepGone(now)
}

func (m *Memory) noteDropped(submittedAt time.Time) {
	if submittedAt.After(m.dropped) {
		m.dropped = submittedAt
	}
}

// sweepGone drops what a running pass noted about an object after the object was deleted. If the
// object was wrongly treated as deleted, it loses no more than it would in a restart.
func (m *Memory) sweepGone(now time.Time) {
	for uid, since := range m.gone {
		switch {
		case since.IsZero():
			m.gone[uid] = now
		case !now.Before(since.Add(keepGone)):
			delete(m.gone, uid)
			delete(m.objects, uid)
		}
	}
}

// restUntil remembers the pause that a response asks for. It never shortens a pause that another
// response asked for: the object may have requests in both lanes.
func restUntil(at time.Time) func(*decide.Memory) {
	return func(memory *decide.Memory) { memory.NotBefore = decide.Later(memory.NotBefore, at) }
}
