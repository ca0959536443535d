// SPDX-License-Identifier: Apache-2.0

package decide

import "time"

// ReadingStep returns the next step for a topic: it continues an open reading, or starts a new
// one when that is due. A reading that keeps failing is started at growing intervals ([AgainAt]).
// The time is when to decide again if there is no step.
func ReadingStep(in *Input, topic Topic, token string, due func() (bool, time.Time)) (Step, time.Time) {
	if again := AgainAt(in, topic, token); in.Now.Before(again) {
		return Rest{}, again
	}
	return NeededReadingStep(in, topic, token, due)
}

// NeededReadingStep is ReadingStep for a reading that is needed to send or resolve a request: it
// is started when it is due, even while the topic is failing.
func NeededReadingStep(in *Input, topic Topic, token string, due func() (bool, time.Time)) (Step, time.Time) {
	reading := in.Memory.Readings.Of(topic)
	if reading.State == ReadingOpen {
		return openReadingStep(in, topic, reading)
	}
	if reading.State == ReadingFailed && in.Now.Before(reading.RetryAt) {
		return Rest{}, reading.RetryAt
	}
	now, at := due()
	if again := AgainAt(in, topic, token); !now && reading.State == ReadingFailed && !reading.Refused() {
		now, at = !in.Now.Before(again), Earlier(at, again)
	}
	if now {
		if changed := ChangedAt(in, topic); in.Now.Before(changed) {
			return Rest{}, changed // otherwise the order of the two events would be unknown
		}
		failing := !reading.FailingSince.IsZero() && !isReadAnew(in, topic, token)
		return StartReading{Topic: topic, Token: token, Again: failing}, time.Time{}
	}
	return Rest{}, at
}

// AtOnce makes a reading due now. It is for a reading that a change waits for.
func AtOnce() (bool, time.Time) { return true, time.Time{} }

func openReadingStep(in *Input, topic Topic, reading *Reading) (Step, time.Time) {
	if next := nextReadingPoll(in, reading); in.Now.Before(next) {
		return Rest{}, next
	}
	return ContinueReading{Topic: topic}, time.Time{}
}
