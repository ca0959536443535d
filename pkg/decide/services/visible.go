// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// whoseService returns a decision if this object must not manage the service.
func whoseService(in *Input) *decide.Decision {
	serviceID := in.Service.ServiceNumber()
	switch {
	case serviceID == "":
		return orderNotReady(in)
	case !decide.Listed(in.Account.Object, serviceID) && len(in.Subject.OpenRequests()) == 0:
		return &decide.Decision{Step: decide.Rest{}, Verdict: unseenService(in)}
	}
	return nil
}

// orderNotReady waits until the order has a service.
func orderNotReady(in *Input) *decide.Decision {
	why := "has no service yet: the operator continues automatically once status.serviceID of the order is set"
	switch {
	case in.Order == nil:
		why = "does not exist in this namespace: create it, or set serviceID"
	case !in.Order.Accepted:
		why = "has not been accepted by the carrier: the operator continues automatically once the order has been " +
			"accepted and has a service"
	}
	name := ""
	if in.Service.Spec.OrderRef != nil {
		name = in.Service.Spec.OrderRef.Name
	}
	return decide.RestWorking(v1alpha1.ReasonOrderNotReady, fmt.Sprintf("ServiceOrder %s %s", name, why))
}

// onlyTracked handles a service that was removed from the account's list: a request at the carrier
// is tracked until it ends, and no other call is made.
func onlyTracked(in *Input) *decide.Decision {
	if decide.Listed(in.Account.Object, in.Service.ServiceNumber()) {
		return nil
	}
	refusal := unseenService(in)
	tracked := decide.Combined(orRefused(openModification(in), refusal), orRefused(openCancellation(in), refusal))
	if tracked == nil {
		return &decide.Decision{Step: decide.Rest{}, Verdict: refusal}
	}
	return tracked
}

// orRefused replaces any call that does not track the open request with a refusal.
func orRefused(decision *decide.Decision, refusal decide.Verdict) *decide.Decision {
	if decision == nil {
		return nil
	}
	switch decision.Step.(type) {
	case decide.StartReading, decide.ContinueReading, decide.Submit, decide.SubmitQuery, decide.Probe:
		return &decide.Decision{Step: decide.Rest{}, Verdict: refusal, RequeueAt: decision.RequeueAt}
	case decide.Rest, decide.Poll, decide.RecordAnswer, decide.Resolve:
	}
	return decision
}

// hidden stops if the carrier does not show the service: a 403 or 404 from any reading counts.
// Nothing is reported about such a service, and nothing is changed in it.
func hidden(in *Input) *decide.Decision {
	const what = "the service's state at the carrier"
	topic := hiddenTopic(in)
	if topic == "" {
		if topic = topicToReadFirst(in); topic == "" {
			return nil
		}
		return markTransient(in, awaitReading(in, topic, what, v1alpha1.ReasonCarrierUnavailable), topic)
	}
	if unreadNeedsApproval(in) {
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
func showsNothing(in *Input) bool {
	return hiddenTopic(in) != "" && !unreadNeedsApproval(in) && failedChange(in) == nil
}

// firstReading waits for the first reading of the description of the service, or else of its
// cancellation, a free GET. Unless this reading is disabled, it comes before any report about a
// service that the carrier has not shown, and before any change of a service that may be cancelled.
func firstReading(in *Input) *decide.Decision {
	if lastKnown(in).Cancellation != nil || in.Memory.Readings.Cancellation.Refused() {
		return nil
	}
	if readsService(in) && !hasBeenShown(in) && !isDescribed(in) {
		const what = "the carrier's description of the service"
		decision := awaitReading(in, decide.TopicService, what, v1alpha1.ReasonCarrierUnavailable)
		return markTransient(in, decision, decide.TopicService)
	}
	off := in.Service.Spec.Observe.CancellationInterval.Or(defaultCancellationInterval) <= 0
	if hasBeenShown(in) && (off || len(desiredChanges(in)) == 0) {
		return nil
	}
	decision := awaitReading(in, decide.TopicCancellation, "the service's cancellation", v1alpha1.ReasonCarrierUnavailable)
	return markTransient(in, decision, decide.TopicCancellation)
}

// hiddenTopic returns the topic whose newest reading shows that the account may not see the
// service; "" if none does. A reading before a modification of ours no longer counts, because the
// carrier accepted that modification. A Location that the carrier does not find proves nothing
// about the service.
func hiddenTopic(in *Input) decide.Topic {
	for _, topic := range []decide.Topic{decide.TopicCancellation, decide.TopicHealth, decide.TopicDisruptions} {
		reading := in.Memory.Readings.Of(topic)
		refused := reading.State == decide.ReadingFailed && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
		if refused && reading.Handle == (carrier.Handle{}) && !reading.RequestedAt.Before(modifiedAt(&in.Input)) {
			return topic
		}
	}
	return ""
}

// unreadNeedsApproval reports whether a change whose basis could not be read (R7) waits for an
// approval or has one: the message contains the carrier's response.
func unreadNeedsApproval(in *Input) bool {
	return slices.ContainsFunc(desiredChanges(in), func(want decide.DesiredChange) bool {
		return want.Unread && observing(in, want) == nil && planning(in, want) == nil && suspended(in, want) == nil
	})
}

// failedChange returns the decision about a change that the carrier has rejected; nil if there is
// none.
func failedChange(in *Input) *decide.Decision {
	for _, want := range desiredChanges(in) {
		if failed := refused(in, want); failed != nil {
			return failed
		}
	}
	return nil
}

// topicToReadFirst returns a topic that a new process has to read before it reports anything: the
// status shows the service as hidden, and no recorded request explains it. "" if there is none.
func topicToReadFirst(in *Input) decide.Topic {
	if !reportedHidden(in) || failedChange(in) != nil {
		return ""
	}
	for _, o := range observations(in) {
		if o.interval > 0 && in.Memory.Readings.Of(o.topic).State == decide.ReadingNone {
			return o.topic
		}
	}
	return ""
}

// hasBeenShown reports whether the carrier has shown the service before, from a value that is still
// known.
func hasBeenShown(in *Input) bool {
	return in.Service.Status.Health != nil || wasDescribed(in)
}

// reportedHidden reports whether the status shows the service as hidden by the carrier.
func reportedHidden(in *Input) bool {
	return decide.ReadyIn(in.Service.Status.Conditions).Reason == v1alpha1.ReasonNotFoundOrForbidden
}
