// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Topic is something that can be read from the carrier. A reading changes nothing there and can be
// repeated freely, so it is kept in memory and needs no write.
type Topic string

// The topics.
const (
	TopicHealth       Topic = "health"       // a health request: plan, technology, colors
	TopicCancellation Topic = "cancellation" // a plain GET
	TopicDisruptions  Topic = "disruptions"  // plain GETs, page by page
	TopicOptions      Topic = "plan options" // a plan-change-options request: the prices of changes
)

// Readings holds the newest reading of each topic.
type Readings struct{ Health, Cancellation, Disruptions, Options Reading }

// Of returns the newest reading of a topic.
func (r *Readings) Of(topic Topic) *Reading {
	switch topic {
	case TopicHealth:
		return &r.Health
	case TopicCancellation:
		return &r.Cancellation
	case TopicDisruptions:
		return &r.Disruptions
	case TopicOptions:
	}
	return &r.Options
}

// Taken marks every answer that is now in the status: a value that was read before a write does not
// show what happened after it.
func (r *Readings) Taken() {
	for _, reading := range []*Reading{&r.Health, &r.Cancellation, &r.Disruptions} {
		if reading.State == ReadingAnswered {
			reading.State = ReadingTaken
		}
	}
}

// DropStale drops large data that is no longer needed: prices that are too old to be shown or used,
// and disruptions, which are in the status by then. The fact that they were read is kept.
func (r *Readings) DropStale(now time.Time) {
	if !now.Before(r.Options.AskedAt.Add(quoteAge)) {
		r.Options.Options = carrier.PlanOptionsResult{}
	}
	if seen := &r.Disruptions; seen.State != ReadingOpen && !now.Before(seen.AskedAt.Add(quoteAge)) {
		seen.Disruptions = nil
		if seen.State == ReadingAnswered {
			seen.State = ReadingTaken
		}
	}
}

// ReadingState is the progress of a reading.
type ReadingState string

// The states of a reading.
const (
	ReadingNone     ReadingState = ""         // not requested by this process
	ReadingOpen     ReadingState = "Open"     // requested, not answered
	ReadingAnswered ReadingState = "Answered" // answered
	ReadingTaken    ReadingState = "Taken"    // answered, and the answer is in the status
	ReadingFailed   ReadingState = "Failed"   // rejected, or could not be sent
)

// Reading is one question to the carrier and its answer, which is in the field of its topic.
type Reading struct {
	State    ReadingState
	AskedAt  time.Time      // when it was sent
	Elapsed  time.Duration  // the same time on the monotonic clock
	LastLook time.Time      // when its Location was last polled
	Handle   carrier.Handle // its Location
	Err      error          // why it failed, when Failed
	RetryAt  time.Time      // when it may be sent again, when Failed
	Failures int            // failures in a row
	Empty    int            // answers in a row that did not contain the value
	Token    string         // the control annotation that requested it

	Generation   int64     // generation of the object in the pass that requested it
	FailingSince time.Time // when the first of the failures in a row occurred; zero if none

	Health       carrier.HealthResult
	Cancellation carrier.Cancellation
	Disruptions  []carrier.Disruption // so far, while Open
	Page         int                  // the next page of disruptions, while Open
	Options      carrier.PlanOptionsResult
}

// ended reports whether a reading is finished.
func (r *Reading) ended() bool {
	return r.State == ReadingAnswered || r.State == ReadingTaken || r.refused()
}

// refused reports whether the carrier answered and will not give a reading now.
func (r *Reading) refused() bool {
	if r.State != ReadingFailed || r.Err == nil {
		return false
	}
	switch carrier.ClassOf(r.Err) {
	case carrier.NotFoundOrForbidden, carrier.Refused, carrier.Invalid, carrier.Unreadable:
		return true
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
	}
	return false
}

// readingStep returns the next step of a reading: the open one first, then a new one when it is
// due. The time is when to look again if there is no step.
func readingStep(in *Input, topic Topic, token string, due func() (bool, time.Time)) (Step, time.Time) {
	reading := in.Memory.Readings.Of(topic)
	if reading.State == ReadingOpen {
		next := nextReadingLook(in, reading)
		if in.Now.Before(next) {
			return Rest{}, next
		}
		return Collect{Topic: topic}, time.Time{}
	}
	if reading.State == ReadingFailed && in.Now.Before(reading.RetryAt) {
		return Rest{}, reading.RetryAt
	}
	now, at := due()
	if now || reading.State == ReadingFailed && !reading.refused() {
		if changed := changedAt(in, topic); in.Now.Before(changed) {
			return Rest{}, changed // otherwise the order of the two events would be unknown
		}
		return Ask{Topic: topic, Token: token}, time.Time{}
	}
	return Rest{}, at
}

// atOnce is for a reading that a change waits for.
func atOnce() (bool, time.Time) { return true, time.Time{} }
