// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// hidden stops if the carrier does not show the service: a 403 or 404 of any reading counts.
// Nothing is reported about such a service, and nothing of it is changed.
func hidden(in *ServiceInput) *Decision {
	const what = "whether the carrier shows the service"
	topic := hiddenIn(in)
	if topic == "" {
		if topic = unlooked(in); topic == "" {
			return nil
		}
		return briefly(in, awaitReading(in, topic, what, v1alpha1.ReasonCarrierUnavailable), topic)
	}
	if asksUnread(in) {
		return nil
	}
	decision := awaitReading(in, topic, what, v1alpha1.ReasonCarrierUnavailable)
	if failed := failedChange(in); failed != nil {
		decision.Verdict = failed.Verdict // the failure is recorded: processes without this reading report it, too
	}
	return decision
}

// showsNothing reports whether there is no plan of changes because the carrier does not show the
// service. A failed change is recorded, so all processes show it.
func showsNothing(in *ServiceInput) bool {
	return hiddenIn(in) != "" && !asksUnread(in) && failedChange(in) == nil
}

// firstLook waits for the first reading of the cancellation, a free GET. It is needed before
// anything is reported about a service that the carrier has not shown, and before a service is
// changed that may be cancelled, unless this reading is disabled.
func firstLook(in *ServiceInput) *Decision {
	if knownCancellation(in) != nil || in.Memory.Readings.Cancellation.refused() {
		return nil
	}
	off := in.Service.Spec.Observe.CancellationInterval.Or(defaultCancellationInterval) <= 0
	if shown(in) && (off || len(desiredChanges(in)) == 0) {
		return nil
	}
	decision := awaitReading(in, TopicCancellation, "the service's cancellation", v1alpha1.ReasonCarrierUnavailable)
	return briefly(in, decision, TopicCancellation)
}

// hiddenIn returns the topic whose newest reading shows that the account may not see the service;
// "" if none does. A reading before a modification of ours no longer counts, because the carrier
// accepted that. A Location that the carrier does not find proves nothing about the service.
func hiddenIn(in *ServiceInput) Topic {
	for _, topic := range []Topic{TopicCancellation, TopicHealth, TopicDisruptions} {
		reading := in.Memory.Readings.Of(topic)
		refused := reading.State == ReadingFailed && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
		if refused && reading.Handle == (carrier.Handle{}) && !reading.AskedAt.Before(modifiedAt(&in.Input)) {
			return topic
		}
	}
	return ""
}

// asksUnread reports whether a person is asked about a change whose basis could not be read (R7),
// or has approved it: the question contains the carrier's answer.
func asksUnread(in *ServiceInput) bool {
	return slices.ContainsFunc(desiredChanges(in), func(want desiredChange) bool {
		return want.unread && observing(in, want) == nil && planning(in, want) == nil && suspended(in, want) == nil
	})
}

// failedChange returns the decision about a change that the carrier has rejected; nil if there is
// none.
func failedChange(in *ServiceInput) *Decision {
	for _, want := range desiredChanges(in) {
		if failed := refused(in, want); failed != nil {
			return failed
		}
	}
	return nil
}

// unlooked returns a topic that a new process has to read before it reports anything: the status
// shows the service as hidden, and no recorded request explains it. "" if there is none.
func unlooked(in *ServiceInput) Topic {
	if !saidHidden(in) || failedChange(in) != nil {
		return ""
	}
	for _, o := range observations(in) {
		if o.interval > 0 && in.Memory.Readings.Of(o.topic).State == ReadingNone {
			return o.topic
		}
	}
	return ""
}

// shown reports whether the carrier has shown the service before, from a value that is still known.
func shown(in *ServiceInput) bool {
	return in.Service.Status.Health != nil
}

// saidHidden reports whether the status shows the service as hidden by the carrier.
func saidHidden(in *ServiceInput) bool {
	return readyIn(in.Service.Status.Conditions).Reason == v1alpha1.ReasonNotFoundOrForbidden
}

// briefly marks a decision that waits for a reading. While that takes only seconds, nothing is
// written: the status is updated with the next write.
func briefly(in *ServiceInput, decision *Decision, topic Topic) *Decision {
	asked := in.Memory.Readings.Of(topic).AskedAt
	seconds := asked.IsZero() || in.Now.Before(asked.Add(refreshTakes)) // it is about to be requested, or just was
	decision.Transient = decision.Verdict.Reason == v1alpha1.ReasonProgressing && seconds
	return decision
}
