// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// hidden stops where the carrier does not show the service: a 403 or 404 of any reading counts,
// whoever asked for it. Nothing is said of such a service, and nothing of it is changed.
func hidden(v *ServiceView) *Decision {
	const what = "whether the carrier shows the service"
	topic := hiddenIn(v)
	if topic == "" {
		if topic = unlooked(v); topic == "" {
			return nil
		}
		return briefly(v, awaitReading(v, topic, what, v1alpha1.ReasonCarrierUnavailable), topic)
	}
	if asksUnread(v) {
		return nil
	}
	decision := awaitReading(v, topic, what, v1alpha1.ReasonCarrierUnavailable)
	if failed := failedChange(v); failed != nil {
		decision.Verdict = failed.Verdict // that is on record: processes without this reading say it, too
	}
	return decision
}

// showsNothing says whether there is no plan of changes, as the carrier does not show the service.
// What has failed is on record, and so all processes show it.
func showsNothing(v *ServiceView) bool {
	return hiddenIn(v) != "" && !asksUnread(v) && failedChange(v) == nil
}

// firstLook waits for the first look at the cancellation, a free GET: before anything is said of a
// service that the carrier has not shown, and before a service is changed that may be cancelled,
// unless that reading is switched off.
func firstLook(v *ServiceView) *Decision {
	if knownCancellation(v) != nil || v.Memory.Readings.Cancellation.refused() {
		return nil
	}
	off := v.Service.Spec.Observe.CancellationInterval.Or(defaultCancellationInterval) <= 0
	if shown(v) && (off || len(wishes(v)) == 0) {
		return nil
	}
	decision := awaitReading(v, TopicCancellation, "the service's cancellation", v1alpha1.ReasonCarrierUnavailable)
	return briefly(v, decision, TopicCancellation)
}

// hiddenIn is the topic whose newest reading says that the account may not see the service; "" for
// none. One that is older than a modification of ours no longer counts: the carrier has taken that.
// That the carrier does not find the Location of a question says nothing of the service.
func hiddenIn(v *ServiceView) Topic {
	for _, topic := range []Topic{TopicCancellation, TopicHealth, TopicDisruptions} {
		reading := v.Memory.Readings.Of(topic)
		refused := reading.State == ReadingFailed && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
		if refused && reading.Handle == (carrier.Handle{}) && !reading.AskedAt.Before(modifiedAt(&v.View)) {
			return topic
		}
	}
	return ""
}

// asksUnread says whether a person is asked about a change whose basis could not be read (R7), or has
// approved it: the question says what the carrier answered.
func asksUnread(v *ServiceView) bool {
	return slices.ContainsFunc(wishes(v), func(w wish) bool {
		return w.unread && observing(v, w) == nil && planning(v, w) == nil && suspended(v, w) == nil
	})
}

// failedChange is what is said of a change that the carrier has refused; nil where there is none.
func failedChange(v *ServiceView) *Decision {
	for _, w := range wishes(v) {
		if failed := refused(v, w); failed != nil {
			return failed
		}
	}
	return nil
}

// unlooked is a topic that a new process has to read before it says anything, as the status says that
// the carrier does not show the service, and no request on record says why; "" for none.
func unlooked(v *ServiceView) Topic {
	if !saidHidden(v) || failedChange(v) != nil {
		return ""
	}
	for _, o := range observations(v) {
		if o.interval > 0 && v.Memory.Readings.Of(o.topic).State == ReadingNone {
			return o.topic
		}
	}
	return ""
}

// shown says whether the carrier has shown the service before, by something that is still known.
func shown(v *ServiceView) bool {
	return v.Service.Status.Health != nil
}

// saidHidden says whether the status says that the carrier does not show the service.
func saidHidden(v *ServiceView) bool {
	return readyIn(v.Service.Status.Conditions).Reason == v1alpha1.ReasonNotFoundOrForbidden
}

// briefly is a decision that waits for a reading, of which nothing is written while it takes seconds:
// what there is to say then is said with the next thing, in the same write.
func briefly(v *ServiceView, decision *Decision, topic Topic) *Decision {
	asked := v.Memory.Readings.Of(topic).AskedAt
	seconds := asked.IsZero() || v.Now.Before(asked.Add(refreshTakes)) // it is about to be asked, or just was
	decision.Brief = decision.Verdict.Reason == v1alpha1.ReasonProgressing && seconds
	return decision
}
