// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// serviceRules lists the rules that come before those of both lanes, in their order.
func serviceRules() []decide.Rule[*Input] {
	common := decide.Common[*Input]
	return []decide.Rule[*Input]{
		common(decide.UnrecordedResponse), // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson),   // a person's resolution settles an unknown outcome
		whoseService,                      // the order that the service comes from, and the account's list of services
		common(decide.AccountReady),       // no call is possible without a login
		common(decide.SentElsewhere),      // a request in progress stays with the login that sent it
		onlyTracked,                       // for a service that is not on the account's list, only that request is tracked
	}
}

// modificationLane lists the rules for plan, SLA, aggregation, DSL profile and reclaim. These
// requests are sent one at a time.
func modificationLane() []decide.Rule[*Input] {
	return []decide.Rule[*Input]{
		openModification,  // a request at the carrier is tracked until it ends
		unknownAlteration, // an unknown outcome blocks every change of the service
		cancelledAsWanted, // a service that has ended as declared is no longer compared
		hidden,            // nothing is reported about a service that the carrier does not show; it is read again
		undescribed,       // the carrier's description of the service is read if a declared value has to be known
		unknownPlan,       // the plan is read if it has to be known
		firstReading,      // a first read, of the description or the cancellation, checks whether the service exists
		neverShown,        // a service that no read has shown is not reported as in sync
		modifications,     // differences are sent to the carrier, if the guards allow it
		valueDrift,        // the carrier has moved to another plan or value, which is only reported
	}
}

// cancellationLane lists the rules for the service's cancellation. It does not wait for a
// modification: the day on which a service ends may be tomorrow.
func cancellationLane() []decide.Rule[*Input] {
	return []decide.Rule[*Input]{
		openCancellation,    // a request at the carrier is tracked until it ends
		unknownCancellation, // the cancellation is read if it has to be known
		cancellation,        // differences are sent to the carrier, if the guards allow it
		cancellationDrift,   // the carrier has a different cancellation, which is only reported
	}
}

// applyRules applies the rules of the pass and, if none of them decides, those of both lanes.
func applyRules(in *Input) rulesResult {
	if first := decide.First(in, serviceRules()); first != nil {
		return rulesResult{*first, first.Verdict, first.Verdict}
	}
	modified, ended := decide.First(in, modificationLane()), decide.First(in, cancellationLane())
	settled := inSync(in)
	result := rulesResult{decide.Decision{Step: decide.Rest{}, Verdict: settled}, settled, settled}
	if modified != nil {
		result.modification = modified.Verdict
	}
	if ended != nil {
		result.cancellation = ended.Verdict
	}
	if both := combined(modified, ended); both != nil {
		result.both = *both
	}
	return result
}

// combined returns one of the decisions of the two lanes: a step of the cancellation lane comes
// first, then a step of the modification lane. If both rest, the weightier decision is returned.
func combined(modified, ended *decide.Decision) *decide.Decision {
	switch {
	case ended == nil:
		return modified
	case modified == nil || !decide.IsRest(ended.Step):
		return ended
	case !decide.IsRest(modified.Step):
		return modified
	}
	return weightier(modified, ended)
}

// weightier returns the more important decision, with the earlier time of the two. Work in progress
// comes first, then what only a person can fix, then what waits for a person.
func weightier(held, next *decide.Decision) *decide.Decision {
	if held == nil {
		return next
	}
	at := decide.Earlier(held.RequeueAt, next.RequeueAt)
	if weightOf(next) > weightOf(held) {
		held = next
	}
	held.RequeueAt = at
	return held
}

// weightOf ranks a decision by its state.
func weightOf(decision *decide.Decision) int {
	states := []decide.State{decide.Settled, decide.Waiting, decide.Stuck, decide.Working}
	return slices.Index(states, decision.Verdict.State)
}

// whoseService returns a decision if the service is not known yet, or if it is not on the account's
// list and no request is open.
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
	name := ""
	if in.Service.Spec.OrderRef != nil {
		name = in.Service.Spec.OrderRef.Name
	}
	why := "has no service yet. Once you know its number from the carrier, set spec.serviceID of the order; with the " +
		"extension OrderRead, the operator finds the number itself"
	switch {
	case in.Order == nil:
		why = "does not exist in this namespace: create it, or set serviceID"
	case in.Order.OtherAccount != "":
		return decide.RestStuck(v1alpha1.ReasonInvalid, fmt.Sprintf(
			"ServiceOrder %s belongs to CarrierAccount %s, but this object belongs to %s: create another BroadbandService "+
				"that uses the account of the order", name, in.Order.OtherAccount, in.Service.AccountName()))
	case !in.Order.Accepted:
		why = "has not been accepted by the carrier: the operator continues automatically once the order has been " +
			"accepted and has a service"
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
	tracked := combined(orRefused(openModification(in), refusal), orRefused(openCancellation(in), refusal))
	if tracked == nil {
		return &decide.Decision{Step: decide.Rest{}, Verdict: refusal}
	}
	return tracked
}

// orRefused replaces with a refusal any call that does not track the open request.
func orRefused(decision *decide.Decision, refusal decide.Verdict) *decide.Decision {
	if decision == nil {
		return nil
	}
	switch decision.Step.(type) {
	case decide.StartReading, decide.ContinueReading, decide.Submit, decide.SubmitQuery, decide.Probe, decide.ReadContact:
		return &decide.Decision{Step: decide.Rest{}, Verdict: refusal, RequeueAt: decision.RequeueAt}
	case decide.Rest, decide.Poll, decide.RecordResponse, decide.Resolve:
	}
	return decision
}

// unseenService is the verdict on a service that is not on the account's list: the same as on one that
// the carrier does not show.
func unseenService(in *Input) decide.Verdict {
	return decide.NotFoundOrForbidden(in.Service.ServiceNumber())
}

// openModification returns a decision as long as a modification has not ended.
func openModification(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, in.Service.OpenRequest(), evidence{in})
}

// unknownAlteration holds back the changes of a service while the outcome of a reschedule or abort is
// unknown, although that has a lane of its own: nobody knows whether the service is about to end.
func unknownAlteration(in *Input) *decide.Decision {
	open := in.Service.OpenCancellation()
	if open == nil || open.Phase != v1alpha1.PhaseOutcomeUnknown || len(in.wanted.changes) == 0 {
		return nil
	}
	return &decide.Decision{Step: decide.Rest{}, Verdict: decide.UnknownVerdict(&in.Input, open)}
}

// cancelledAsWanted ends the comparison for a service that has been cancelled as declared. This
// holds for any day, because nothing can change it anymore.
func cancelledAsWanted(in *Input) *decide.Decision {
	if !endedAsWanted(in) {
		return nil
	}
	return &decide.Decision{Step: decide.Rest{}, Verdict: decide.Verdict{
		State: decide.Settled, Reason: v1alpha1.ReasonCancelled,
		Message: howEnded(in) + "; nothing else is compared",
	}}
}

// hidden stops if the carrier does not show the service, by a 403 or 404 as in hiddenTopic. Nothing is
// reported about such a service, and nothing is changed in it.
func hidden(in *Input) *decide.Decision {
	const what = "the service's state at the carrier"
	topic := hiddenTopic(in)
	if topic == "" {
		first := topicToReadFirst(in)
		if first == "" || failedChange(in) != nil {
			return nil
		}
		return awaitTransient(in, first, what)
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

// undescribed waits for the description of the service if a declared value has to be read first,
// because nobody is asked about a value that can be read.
func undescribed(in *Input) *decide.Decision {
	if !readsService(in) {
		return nil
	}
	state := in.Service.LastKnown()
	for _, value := range describedValues(in, &state) {
		if isUndescribed(in, &value) {
			return awaitTransient(in, decide.TopicService, theDescription)
		}
	}
	return nil
}

// unknownPlan returns a decision while the plan is needed but unknown.
func unknownPlan(in *Input) *decide.Decision {
	if !needsPlan(in) || in.Service.LastKnown().Plan != nil || readsPlanFromService(in) {
		return nil
	}
	if err := decide.CheckSupported(&in.Input, carrier.Health); err != nil {
		trust := ""
		if in.Service.Spec.Plan != nil { // otherwise no plan is declared that could be trusted
			trust = ", or list Plan in trustDeclared"
		}
		return decide.RestStuck(v1alpha1.ReasonUnsupportedByAPIVersion, fmt.Sprintf(
			"the service's plan cannot be read: %v; %s%s", err, decide.RaiseVersion, trust))
	}
	return awaitReading(in, decide.TopicHealth, "the service's plan", v1alpha1.ReasonPlanUnknown)
}

// firstReading waits for the first reading of the description of the service, or else of its
// cancellation, a free GET. This reading comes before any report about a service that the carrier
// has not shown and, unless readings of the cancellation are disabled, before any change of a
// service that may have been cancelled.
func firstReading(in *Input) *decide.Decision {
	if in.Service.LastKnown().Cancellation != nil || in.Memory.Readings.Cancellation.Refused() {
		return nil
	}
	if readsService(in) && !hasBeenShown(in) && !isDescribed(in) {
		return awaitTransient(in, decide.TopicService, theDescription)
	}
	off := in.Service.Spec.Observe.CancellationInterval.Or(defaultCancellationInterval) <= 0
	if hasBeenShown(in) && (off || len(in.wanted.changes) == 0) {
		return nil
	}
	return awaitTransient(in, decide.TopicCancellation, theCancellation)
}

// neverShown waits until a read has shown a service that would otherwise be Ready. If the carrier
// refuses to show the cancellation, health is read. A service with changes is not Ready, and a person
// is asked about a change whose reading is refused.
func neverShown(in *Input) *decide.Decision {
	changes := !in.Service.OnlyObserves() && len(in.wanted.changes) > 0
	if changes || in.Service.LastKnown().Cancellation != nil || hasBeenShown(in) {
		return nil
	}
	topic, what := decide.TopicHealth, "the service's health"
	if decide.CheckSupported(&in.Input, carrier.Health) != nil {
		topic, what = decide.TopicCancellation, theCancellation
	}
	return awaitTransient(in, topic, what)
}

// hasBeenShown reports whether the carrier has shown the service before, from a value that is still
// known.
func hasBeenShown(in *Input) bool {
	return in.Service.Status.Health != nil || wasDescribed(in)
}

// modifications sends the first change that may be sent. A change that is held back does not hold
// back the others. If all are held back, a verdict about work in progress is reported before one
// that waits for a person.
func modifications(in *Input) *decide.Decision {
	var held *decide.Decision
	for _, want := range in.wanted.changes {
		decision := sendOrHold(in, want)
		if !decide.IsRest(decision.Step) {
			return decision
		}
		held = weightier(held, decision)
		if decision.Verdict.Reason == v1alpha1.ReasonProgressing {
			break // it is about to be sent: the others wait their turn
		}
	}
	return held
}

// valueDrift reports a drifted plan or value as not in sync, although nothing is sent.
func valueDrift(in *Input) *decide.Decision {
	reports := func(value describedValue) bool { return !corrects(in, value.operation) }
	if in.Service.OnlyObserves() || !onlyReportsPlanDrift(in) && !slices.ContainsFunc(drifted(in), reports) {
		return nil
	}
	return driftDecision(in)
}

// openCancellation returns a decision as long as a reschedule or abort has not ended.
func openCancellation(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, in.Service.OpenCancellation(), evidence{in})
}

// unknownCancellation returns a decision while the cancellation is needed but unknown, or was last
// read before it was declared.
func unknownCancellation(in *Input) *decide.Decision {
	spec := in.Service.Spec
	switch {
	case spec.Cancellation == nil && spec.Disconnection == "":
		return nil
	case in.Service.LastKnown().Cancellation == nil:
		return awaitReading(in, decide.TopicCancellation, theCancellation, v1alpha1.ReasonCarrierUnavailable)
	case isUncompared(in), mayHaveComeDue(in):
		return awaitTransient(in, decide.TopicCancellation, theCancellation)
	}
	return nil
}

// cancellation applies the declared cancellation, or explains why that is not possible.
func cancellation(in *Input) *decide.Decision {
	if why := cancellationBarred(in); why != nil {
		return &decide.Decision{Step: decide.Rest{}, Verdict: *why}
	}
	want := desiredCancellation(in)
	if !want.Wanted() {
		return nil
	}
	return sendOrHold(in, want)
}

// cancellationDrift reports a drifted cancellation as not in sync, although nothing is sent.
func cancellationDrift(in *Input) *decide.Decision {
	want := in.wanted.cancellation
	if in.Service.OnlyObserves() || !want.Wanted() || !onlyReportsCancellationDrift(in, want) {
		return nil
	}
	return driftDecision(in)
}
