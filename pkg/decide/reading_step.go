// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// MarkRecorded marks every response that is now in the status, because a value that was read before
// a write does not show what happened after that write.
func (r *Readings) MarkRecorded() {
	for _, reading := range []*Reading{&r.Health, &r.Cancellation, &r.Disruptions, &r.Service} {
		reading.MarkRecorded()
	}
}

// MarkRecorded marks a response that is now recorded.
func (r *Reading) MarkRecorded() {
	if r.State == ReadingAnswered {
		r.State = ReadingRecorded
	}
}

// DropStale drops large data that is no longer needed: prices that are too old to be shown or used,
// and disruptions, which are in the status by then. The fact that they were read is kept.
func (r *Readings) DropStale(now time.Time) {
	if !now.Before(r.Options.RequestedAt.Add(QuoteAge)) {
		r.Options.Options = carrier.PlanOptionsResult{}
	}
	if seen := &r.Disruptions; seen.State != ReadingOpen && !now.Before(seen.RequestedAt.Add(QuoteAge)) {
		seen.Disruptions = nil
		seen.MarkRecorded()
	}
}

// Ended reports whether a reading is finished.
func (r *Reading) Ended() bool { return r.Answered() || r.Refused() }

// Answered reports whether the carrier has given the reading.
func (r *Reading) Answered() bool { return r.State == ReadingAnswered || r.State == ReadingRecorded }

// Refused reports whether the carrier answered and will not give a reading now.
func (r *Reading) Refused() bool {
	if r.State != ReadingFailed || r.Err == nil {
		return false
	}
	switch carrier.ClassOf(r.Err) {
	case carrier.Refused:
		return !isInProgressError(r.Err)
	case carrier.NotFoundOrForbidden, carrier.Invalid, carrier.Unreadable:
		return true
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
	}
	return false
}

// ReadingStep returns the next step for a topic: it continues an open reading, or else starts a new
// one when that is due. One that keeps failing is started at growing intervals ([AgainAt]). The time
// is when to decide again if there is no step.
func ReadingStep(in *Input, topic Topic, token string, due func() (bool, time.Time)) (Step, time.Time) {
	if again := AgainAt(in, topic, token); in.Now.Before(again) {
		return Rest{}, again
	}
	return NeededReadingStep(in, topic, token, due)
}

// NeededReadingStep is ReadingStep for a reading without which a request can be neither sent nor
// settled: it is started when it is due, also while the topic is failing.
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

// openReadingStep continues a reading in progress when its next poll is due.
func openReadingStep(in *Input, topic Topic, reading *Reading) (Step, time.Time) {
	if next := nextReadingPoll(in, reading); in.Now.Before(next) {
		return Rest{}, next
	}
	return ContinueReading{Topic: topic}, time.Time{}
}

// AtOnce makes a reading due now. It is for a reading that a change waits for.
func AtOnce() (bool, time.Time) { return true, time.Time{} }

// StatusPrecision is the precision of the times in a status.
const StatusPrecision = time.Second

// ChangedAt returns when a request of ours last changed the topic.
func ChangedAt(in *Input, topic Topic) time.Time {
	return lastEnd(in, func(done *v1alpha1.Request) bool { return changes(done, topic) })
}

// ModifiedAt returns when the newest modification of ours ended.
func ModifiedAt(in *Input) time.Time {
	return lastEnd(in, func(done *v1alpha1.Request) bool { return !done.Operation.AltersCancellation() })
}

// AlteredAt returns when our newest reschedule or abort ended.
func AlteredAt(in *Input) time.Time {
	return lastEnd(in, func(done *v1alpha1.Request) bool { return done.Operation.AltersCancellation() })
}

// lastEnd returns when the newest of the ended requests that count ended. Times in a status are whole
// seconds, so the end of that second is returned. A request that never reached the carrier does not
// count.
func lastEnd(in *Input, counts func(*v1alpha1.Request) bool) time.Time {
	var at time.Time
	for contract := range carrier.Contracts() {
		done := ReachedOf(in, v1alpha1.Operation(contract.Operation))
		if done != nil && !done.FinishedAt.IsZero() && counts(done) {
			at = Later(at, in.Past(done.FinishedAt).Add(StatusPrecision))
		}
	}
	return at
}

// AgeOf returns the time since a reading was requested, by the clock that shows the longer time: the
// monotonic clock stops while the machine is suspended, and the wall clock can be set by people.
func AgeOf(in *Input, reading *Reading) time.Duration {
	return max(in.Elapsed-reading.Elapsed, in.Now.Round(0).Sub(reading.RequestedAt.Round(0)))
}

// ReconcileRequested reports whether the reconcile annotation asks for a reading that has not been
// requested for this annotation yet.
func ReconcileRequested(in *Input, reading *Reading) bool {
	token := Control(in.Subject, v1alpha1.AnnotationReconcile)
	return token != "" && token != in.Subject.Controls().Reconcile && token != reading.Token
}

// changes reports whether a request has changed the topic. A request that stands for a lost ledger
// may have changed anything.
func changes(request *v1alpha1.Request, topic Topic) bool {
	if StandsForLost(request) {
		return true
	}
	if request.Phase != v1alpha1.PhaseSucceeded {
		return false
	}
	switch topic {
	case TopicHealth:
		return request.Operation == v1alpha1.OperationPlanChange
	case TopicService:
		return !request.Operation.AltersCancellation()
	case TopicCancellation:
		return TouchesCancellation(request.Operation)
	case TopicDisruptions, TopicOptions, TopicTestTypes, TopicOrder:
	}
	return false
}

// TouchesCancellation reports whether an operation changes the cancellation of a service.
func TouchesCancellation(operation v1alpha1.Operation) bool {
	return operation == v1alpha1.OperationReclaim || operation.AltersCancellation()
}

// QuoteAge is the maximum age at which a reading of the options still counts as read just before
// the POST. A request may have to wait for the rate limit after the reading.
const QuoteAge = 10 * time.Minute
