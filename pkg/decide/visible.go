// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// hidden stops where the carrier does not show the service: a 403 or 404 of any reading counts,
// whoever asked for it. Nothing is said of such a service, and nothing of it is changed.
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
		decision.Verdict = failed.Verdict // that is on record: processes without this reading say it, too
	}
	return decision
}

// showsNothing says whether there is no plan of changes, as the carrier does not show the service.
// What has failed is on record, and so all processes show it.
func showsNothing(in *ServiceInput) bool {
	return hiddenIn(in) != "" && !asksUnread(in) && failedChange(in) == nil
}

// firstLook waits for the first look at the cancellation, a free GET: before anything is said of a
// service that the carrier has not shown, and before a service is changed that may be cancelled,
// unless that reading is switched off.
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

// hiddenIn is the topic whose newest reading says that the account may not see the service; "" for
// none. One that is older than a modification of ours no longer counts: the carrier has taken that.
// That the carrier does not find the Location of a question says nothing of the service.
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

// asksUnread says whether a person is asked about a change whose basis could not be read (R7), or has
// approved it: the question says what the carrier answered.
func asksUnread(in *ServiceInput) bool {
	return slices.ContainsFunc(desiredChanges(in), func(want desiredChange) bool {
		return want.unread && observing(in, want) == nil && planning(in, want) == nil && suspended(in, want) == nil
	})
}

// failedChange is what is said of a change that the carrier has refused; nil where there is none.
func failedChange(in *ServiceInput) *Decision {
	for _, want := range desiredChanges(in) {
		if failed := refused(in, want); failed != nil {
			return failed
		}
	}
	return nil
}

// unlooked is a topic that a new process has to read before it says anything, as the status says that
// the carrier does not show the service, and no request on record says why; "" for none.
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

// shown says whether the carrier has shown the service before, by something that is still known.
func shown(in *ServiceInput) bool {
	return in.Service.Status.Health != nil
}

// saidHidden says whether the status says that the carrier does not show the service.
func saidHidden(in *ServiceInput) bool {
	return readyIn(in.Service.Status.Conditions).Reason == v1alpha1.ReasonNotFoundOrForbidden
}

// briefly is a decision that waits for a reading, of which nothing is written while it takes seconds:
// what there is to say then is said with the next thing, in the same write.
func briefly(in *ServiceInput, decision *Decision, topic Topic) *Decision {
	asked := in.Memory.Readings.Of(topic).AskedAt
	seconds := asked.IsZero() || in.Now.Before(asked.Add(refreshTakes)) // it is about to be asked, or just was
	decision.Brief = decision.Verdict.Reason == v1alpha1.ReasonProgressing && seconds
	return decision
}
