// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

const (
	// sweepEvery is the interval between sweeps of the memory.
	sweepEvery = time.Minute

	// keepPosted: "posted ids an hour after their ledger has the outcome" (R28).
	keepPosted = time.Hour

	// keepGone is how long a pass over a deleted object may still be running.
	keepGone = time.Hour
)

// posting is a POST made by this process.
type posting struct {
	submittedAt time.Time        // as in the intent
	receipt     *carrier.Receipt // the answer, until it is recorded
	recordedAt  time.Time        // when the answer was recorded; zero: not yet
}

// mayHavePosted reports whether an attempt may have left this process. An attempt as old as one
// dropped from memory counts as posted: it is no longer known, and it must not be sent twice.
func (m *Memory) mayHavePosted(request *v1alpha1.Request) bool {
	_, held := m.posted[request.AttemptID]
	return held || request.Sender == m.sender && !request.SubmittedAt.After(m.dropped)
}

// sweep drops what is no longer needed: "the process's memory [is bounded] by what lives" (R28). An
// answer that is not recorded yet is kept until it is.
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
		held.memory.Readings.DropStale(now)
	}
	m.sweepGone(now)
}

func (m *Memory) noteDropped(submittedAt time.Time) {
	if submittedAt.After(m.dropped) {
		m.dropped = submittedAt
	}
}

// sweepGone drops what a running pass has noted of an object after its deletion. If the object was
// wrongly taken for deleted, it loses no more than it would in a restart.
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
