// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Topic is something of the carrier's that can be read. A reading changes nothing at
// the carrier: it is asked again freely, so it lives in memory and costs no write.
type Topic string

// The topics.
const (
	TopicHealth       Topic = "health"       // a health request: plan, technology, colors
	TopicCancellation Topic = "cancellation" // a plain GET
	TopicDisruptions  Topic = "disruptions"  // plain GETs, page by page
	TopicOptions      Topic = "plan options" // a plan-change-options request: what changes cost
)

// Readings are the newest reading of each topic.
type Readings struct{ Health, Cancellation, Disruptions, Options Reading }

// Of is the newest reading of a topic.
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

// Taken marks every answer that is in the status now: what was read before a write says
// nothing about what came after it.
func (r *Readings) Taken() {
	for _, reading := range []*Reading{&r.Health, &r.Cancellation, &r.Disruptions} {
		if reading.State == ReadingAnswered {
			reading.State = ReadingTaken
		}
	}
}

// DropStale drops what is long and no longer needed: prices that are too old to be shown or sent by,
// and disruptions, which are in the status by then. That they were read stays known.
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

// ReadingState says how far a reading has come.
type ReadingState string

// The states of a reading.
const (
	ReadingNone     ReadingState = ""         // none asked by this process
	ReadingOpen     ReadingState = "Open"     // asked, not answered
	ReadingAnswered ReadingState = "Answered" // answered
	ReadingTaken    ReadingState = "Taken"    // answered, and what it said is in the status
	ReadingFailed   ReadingState = "Failed"   // refused, or could not be asked
)

// Reading is one question to the carrier and its answer, which is in the field of its
// topic.
type Reading struct {
	State    ReadingState
	AskedAt  time.Time      // when it was sent
	Elapsed  time.Duration  // the same by the monotonic clock
	LastLook time.Time      // when its Location was last polled
	Handle   carrier.Handle // its Location
	Err      error          // why it failed, when Failed
	RetryAt  time.Time      // when it may be asked again, when Failed
	Failures int            // failures in a row
	Empty    int            // answers in a row that did not say what was asked
	Token    string         // the control annotation it was asked for

	Generation   int64     // of the object, as the pass saw it that asked
	FailingSince time.Time // when the first of the failures in a row was; zero for none

	Health       carrier.HealthResult
	Cancellation carrier.Cancellation
	Disruptions  []carrier.Disruption // so far, while Open
	Page         int                  // the next page of disruptions, while Open
	Options      carrier.PlanOptionsResult
}

// ended says whether nothing more is expected of a reading.
func (r *Reading) ended() bool {
	return r.State == ReadingAnswered || r.State == ReadingTaken || r.refused()
}

// refused says that the carrier answered and will not give a reading now.
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

// readingStep is the next step of a reading: the one under way first, then a new one
// when it is due. The time is when to look again when there is no step.
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
			return Rest{}, changed // else nobody could tell which of the two came first
		}
		return Ask{Topic: topic, Token: token}, time.Time{}
	}
	return Rest{}, at
}

// atOnce is for a reading that something waits for.
func atOnce() (bool, time.Time) { return true, time.Time{} }
