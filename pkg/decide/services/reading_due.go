// SPDX-License-Identifier: Apache-2.0

package services

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// awaitReading waits for a reading that the comparison needs.
func awaitReading(in *Input, topic decide.Topic, what, unread string) *decide.Decision {
	return awaitStep(in, topic, what, unread, decide.ReadingStep)
}

// awaitNeeded waits for a reading without which a change cannot be sent, also while the topic is
// failing. Nothing is written while that takes only seconds.
func awaitNeeded(in *Input, topic decide.Topic, what, unread string) *decide.Decision {
	next := decide.ReadingStep
	if in.Memory.Readings.Of(topic).State == decide.ReadingFailed {
		next = decide.NeededReadingStep
	}
	return markTransient(in, awaitStep(in, topic, what, unread, next), topic)
}

// readingStep returns the next step of a reading.
type readingStep func(*decide.Input, decide.Topic, string, func() (bool, time.Time)) (decide.Step, time.Time)

// awaitStep waits for a reading, of which next returns the next step.
func awaitStep(in *Input, topic decide.Topic, what, unread string, next readingStep) *decide.Decision {
	token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	step, at := next(&in.Input, topic, token, decide.AtOnce)
	reading := in.Memory.Readings.Of(topic)
	verdict := readingVerdict(in, reading, what, unread)
	if topic == decide.TopicCancellation && isNotShownForLong(in) {
		verdict = cancellationNotShown(reading.Err)
	}
	return &decide.Decision{Step: step, RequeueAt: at, Verdict: verdict}
}

// awaitTransient waits for a reading, as awaitReading does. Nothing is written while that takes only
// seconds.
func awaitTransient(in *Input, topic decide.Topic, what string) *decide.Decision {
	return markTransient(in, awaitReading(in, topic, what, v1alpha1.ReasonCarrierUnavailable), topic)
}

// isBeingChanged reports whether a reading of the cancellation found a change of it in progress: a
// 202, which may still show the cancellation as it was before.
func isBeingChanged(reading *decide.Reading) bool {
	return reading.Answered() && reading.Cancellation.InProgress
}

// readingVerdict explains why a value is not known yet. The argument unread is the reason to report
// for a carrier that responds but gives no reading.
func readingVerdict(in *Input, reading *decide.Reading, what, unread string) decide.Verdict {
	if reading.Empty > 0 && reading.State != decide.ReadingFailed {
		return decide.Verdict{
			State: decide.Working, Reason: unread,
			Message: "the carrier's response does not contain " + what + "; the read is retried",
		}
	}
	if isBeingChanged(reading) {
		return decide.Verdict{
			State: decide.Working, Reason: v1alpha1.ReasonProgressing,
			Message: "the carrier is still applying a change of " + what + ", which is read again at growing intervals",
		}
	}
	if reading.State != decide.ReadingFailed && reading.Failures < decide.FailuresShown {
		return decide.Verdict{
			State: decide.Working, Reason: v1alpha1.ReasonProgressing,
			Message: what + " is being read",
		}
	}
	switch carrier.ClassOf(reading.Err) {
	case carrier.NotFoundOrForbidden:
		return decide.NotFoundOrForbidden(in.Service.ServiceNumber())
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
		return decide.Verdict{
			State: decide.Working, Reason: v1alpha1.ReasonCarrierUnavailable,
			Message: what + " cannot be read: " + decide.ErrorText(reading.Err) + "; the read is retried",
		}
	case carrier.Refused, carrier.Invalid, carrier.Unreadable:
	}
	return decide.Verdict{
		State: decide.Working, Reason: unread,
		Message: what + " could not be read: " + decide.ErrorText(reading.Err) + "; the read is retried",
	}
}

// refreshTakes is how long a reading may take before the object reports the wait. Until then
// nothing is written: the status is updated together with the request, in the same write.
const refreshTakes = time.Minute

// markTransient marks a decision that waits for a reading. While that takes only seconds, nothing
// is written: the status is updated with the next write.
func markTransient(in *Input, decision *decide.Decision, topic decide.Topic) *decide.Decision {
	asked := in.Memory.Readings.Of(topic).RequestedAt
	seconds := asked.IsZero() || in.Now.Before(asked.Add(refreshTakes)) // it is about to be requested, or just was
	decision.Transient = decision.Verdict.Reason == v1alpha1.ReasonProgressing && seconds
	return decision
}

// The intervals that apply if spec.observe does not set them.
const (
	defaultHealthInterval       = 24 * time.Hour
	defaultServiceInterval      = 24 * time.Hour
	defaultCancellationInterval = 24 * time.Hour
	managedCancellationInterval = 6 * time.Hour // while spec.cancellation is set
)

// observation is a topic that is read at an interval.
type observation struct {
	topic    decide.Topic
	interval time.Duration // 0: not read
	firstNow bool          // it is read now, usually because nothing is known about it yet
}

// observations returns what is read periodically, where an interval of "0" disables a topic. Health
// is not read here when the service is first seen, because a change that needs the plan waits for
// it to be read (unknownPlan).
func observations(in *Input) []observation {
	spec, status := in.Service.Spec, in.Service.Status
	cancellation := defaultCancellationInterval
	if spec.Cancellation != nil {
		cancellation = managedCancellationInterval
	}
	var observed []observation
	if decide.MayReadService(&in.Account) {
		interval := spec.Observe.ServiceInterval.Or(defaultServiceInterval)
		observed = append(observed, observation{decide.TopicService, interval, knowsNoValue(in)})
	}
	observed = append(observed, observation{
		decide.TopicCancellation, spec.Observe.CancellationInterval.Or(cancellation), readsCancellationNow(in),
	}, observation{
		decide.TopicDisruptions, spec.Observe.DisruptionsInterval.Or(0), status.Disruptions == nil,
	})
	if decide.CheckSupported(&in.Input, carrier.Health) == nil {
		health := spec.Observe.HealthInterval.Or(defaultHealthInterval)
		observed = append(observed, observation{decide.TopicHealth, health, false})
	}
	return observed
}

// knowsNoValue reports whether nothing is known that the description of the service contains.
func knowsNoValue(in *Input) bool {
	known := in.Service.LastKnown()
	return known.Plan == nil && known.RestorationSLA == nil &&
		known.AggregationMethod == nil && known.DSLStabilityProfile == nil
}

// readsCancellationNow reports whether the cancellation has to be read before its interval is over,
// because the cancellation is not known, or because only it can tell why the service is not
// described. A service that has been described exists, so its cancellation is read at its interval,
// unless the spec declares it. One that is being changed is read again after a pause.
func readsCancellationNow(in *Input) bool {
	spec, reading := in.Service.Spec, &in.Memory.Readings.Service
	switch {
	case !decide.MayReadService(&in.Account):
	case carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden:
		return in.Memory.Readings.Cancellation.State == decide.ReadingNone
	case wasDescribed(in) && spec.Cancellation == nil && spec.Disconnection == "":
		return false
	}
	return in.Service.LastKnown().Cancellation == nil && !isChanging(in)
}

// withReadings adds a reading to a decision that would otherwise rest, if the reading is due at its
// interval or because of the reconcile annotation. The verdict does not change, because a reading
// does not modify the service. withReadings also marks the reconcile annotation as handled once the
// readings that were requested for it have ended or failed.
func withReadings(in *Input, decision decide.Decision) decide.Decision {
	if reconcileServed(in) {
		decision.Handled.Reconcile = decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	}
	if !decide.IsRest(decision.Step) || !readable(in) {
		return decision
	}
	for _, o := range observations(in) {
		token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
		step, at := decide.ReadingStep(&in.Input, o.topic, token, func() (bool, time.Time) { return o.due(in) })
		if !decide.IsRest(step) {
			decision.Step = step
			break
		}
		decision.RequeueAt = decide.Earlier(decision.RequeueAt, at)
	}
	return decision
}

// readable reports whether a reading is possible now, regardless of its interval.
func readable(in *Input) bool {
	return in.Service.ServiceNumber() != "" && decide.AccountReady(&in.Input) == nil &&
		decide.Listed(in.Account.Object, in.Service.ServiceNumber())
}

// due reports whether a topic has to be read now, and returns when it is read next if not.
func (o observation) due(in *Input) (bool, time.Time) {
	reading := in.Memory.Readings.Of(o.topic)
	switch {
	case o.interval <= 0:
		return false, time.Time{}
	case decide.ReconcileRequested(&in.Input, reading), o.firstNow && !reading.Refused():
		return true, time.Time{}
	}
	// A first reading, or one that was requested, can be made just before a slot.
	recent := reading.RequestedAt.Add(o.interval / 4)
	slot := decide.NextSlot(string(in.Subject.GetUID()), o.interval, decide.Later(in.Memory.FirstSeen, recent))
	next := decide.Earlier(decide.NotifiedReadAt(&in.Input, o.topic), slot)
	return !in.Now.Before(next), next
}

// reconcileServed reports whether the reconcile annotation has been handled: the readings made for
// it have ended or failed, or there is nothing to read.
func reconcileServed(in *Input) bool {
	token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	for _, o := range observations(in) {
		reading := in.Memory.Readings.Of(o.topic)
		waits := reading.Token != token || !reading.Ended() && reading.State != decide.ReadingFailed
		if o.interval > 0 && waits {
			return false
		}
	}
	return token != ""
}

// hiddenTopic returns the topic whose newest reading shows that the account may not see the
// service; "" if none does. A reading before a modification of ours no longer counts, because the
// carrier accepted that modification. A Location that the carrier does not find proves nothing
// about the service.
func hiddenTopic(in *Input) decide.Topic {
	for _, topic := range []decide.Topic{decide.TopicCancellation, decide.TopicHealth, decide.TopicDisruptions} {
		reading := in.Memory.Readings.Of(topic)
		refused := reading.State == decide.ReadingFailed && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
		if refused && reading.Handle == (carrier.Handle{}) && !reading.RequestedAt.Before(decide.ModifiedAt(&in.Input)) {
			return topic
		}
	}
	return ""
}

// topicToReadFirst returns a topic that a new process has to read before it reports anything, because
// the status shows the service as hidden; "" if there is none.
func topicToReadFirst(in *Input) decide.Topic {
	if !reportedHidden(in) {
		return ""
	}
	for _, o := range observations(in) {
		if o.interval > 0 && in.Memory.Readings.Of(o.topic).State == decide.ReadingNone {
			return o.topic
		}
	}
	return ""
}

// reportedHidden reports whether the status shows the service as hidden by the carrier.
func reportedHidden(in *Input) bool {
	return decide.ReadyIn(in.Service.Status.Conditions).Reason == v1alpha1.ReasonNotFoundOrForbidden
}
