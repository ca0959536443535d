// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

const (
	// sweepEvery is how often the memory is gone through.
	sweepEvery = time.Minute

	// keepPosted: "posted ids an hour after their ledger has the outcome" (R28).
	keepPosted = time.Hour

	// keepGone is how long a pass over an object that is gone may still be on its way.
	keepGone = time.Hour
)

// posting is a POST of this process.
type posting struct {
	submittedAt time.Time        // as the intent has it
	receipt     *carrier.Receipt // the answer, until it is on record
	recordedAt  time.Time        // when that was put on record; zero: it was not
}

// mayHavePosted says whether an attempt may have left this process. Of one from the time of those that
// were dropped nobody knows any more: it counts as posted, or what was sent would be sent again.
func (m *Memory) mayHavePosted(request *v1alpha1.Request) bool {
	_, held := m.posted[request.AttemptID]
	return held || request.Sender == m.sender && !request.SubmittedAt.After(m.dropped)
}

// sweep drops what nobody needs any more: "the process's memory [is bounded] by what lives" (R28). An
// answer that is not on record yet is kept for as long as it takes.
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

// sweepGone drops what a pass that was on its way has noted of an object after that was gone. An
// object that was only taken for gone loses what a restart would have lost.
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
