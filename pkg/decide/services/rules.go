// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// serviceRules lists the rules that come before those of both lanes, in their order.
func serviceRules() []decide.Rule[*Input] {
	common := decide.Common[*Input]
	return []decide.Rule[*Input]{
		common(decide.ResponseIsUnrecorded), // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson),     // a person's resolution ends an unknown outcome
		serviceIsUnknown,                    // the order that the service comes from, and the account's list of services
		common(decide.AccountIsNotReady),    // no call is possible without a login
		common(decide.SentElsewhere),        // a request in progress stays with the login that sent it
		serviceIsUnlisted,                   // for a service that is not on the account's list, only that request is tracked
	}
}

// modificationLane lists the rules for plan, SLA, aggregation, DSL profile and reclaim. These
// requests are sent one at a time.
func modificationLane() []decide.Rule[*Input] {
	return []decide.Rule[*Input]{
		modificationIsOpen,  // a request at the carrier is tracked until it ends
		alterationIsUnknown, // an unknown outcome blocks every change of the service
		serviceHasEnded,     // a service that has ended as declared is no longer compared
		valueIsUnread,       // what has to be known is read before anything is compared
		sendModifications,   // differences are sent to the carrier, if the guards allow it
		valueHasDrifted,     // the carrier has moved to another plan or value, which is only reported
	}
}

// cancellationLane lists the rules for the service's cancellation. It does not wait for a
// modification: the day on which a service ends may be tomorrow.
func cancellationLane() []decide.Rule[*Input] {
	return []decide.Rule[*Input]{
		alterationIsOpen,       // a request at the carrier is tracked until it ends
		cancellationIsUnknown,  // the cancellation is read if it has to be known
		sendCancellation,       // differences are sent to the carrier, if the guards allow it
		cancellationHasDrifted, // the carrier has a different cancellation, which is only reported
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
func weightier(first, next *decide.Decision) *decide.Decision {
	if first == nil {
		return next
	}
	at := decide.Earlier(first.RequeueAt, next.RequeueAt)
	if weightOf(next) > weightOf(first) {
		first = next
	}
	first.RequeueAt = at
	return first
}

func weightOf(decision *decide.Decision) int {
	states := []decide.State{decide.Settled, decide.Waiting, decide.Stuck, decide.Working}
	return slices.Index(states, decision.Verdict.State)
}

// serviceIsUnknown returns a decision if the service is not known yet, or if it is not on the
// account's list and no request is open.
func serviceIsUnknown(in *Input) *decide.Decision {
	serviceID := in.Service.ServiceNumber()
	switch {
	case serviceID == "":
		return orderNotReady(in)
	case !decide.Listed(in.Account.Object, serviceID) && len(in.Subject.Record().OpenRequests()) == 0:
		return decide.RestOn(decide.NotFoundOrForbidden(serviceID)) // as if the carrier did not show it
	}
	return nil
}

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

// serviceIsUnlisted handles a service that was removed from the account's list: a request at the
// carrier is tracked until it ends, and no other call is made.
func serviceIsUnlisted(in *Input) *decide.Decision {
	if decide.Listed(in.Account.Object, in.Service.ServiceNumber()) {
		return nil
	}
	refusal := decide.NotFoundOrForbidden(in.Service.ServiceNumber())
	tracked := combined(orRefused(modificationIsOpen(in), refusal), orRefused(alterationIsOpen(in), refusal))
	if tracked == nil {
		return decide.RestOn(refusal)
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
		return decide.RequeueAt(decide.RestOn(refusal), decision.RequeueAt)
	case decide.Rest, decide.Poll, decide.RecordResponse, decide.Resolve:
	}
	return decision
}

func modificationIsOpen(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, in.Service.OpenRequest(), evidence{in})
}

// alterationIsUnknown holds back the changes of a service while the outcome of a reschedule or
// abort is unknown. The two have separate lanes, but the service may be about to end.
func alterationIsUnknown(in *Input) *decide.Decision {
	open := in.Service.OpenCancellation()
	if open == nil || open.Phase != v1alpha1.PhaseOutcomeUnknown || len(in.wanted.changes) == 0 {
		return nil
	}
	return decide.RestOn(decide.UnknownVerdict(&in.Input, open))
}

// serviceHasEnded ends the comparison for a service that has been cancelled as declared. This
// holds for any day, because nothing can change it anymore.
func serviceHasEnded(in *Input) *decide.Decision {
	if !endedAsWanted(in) {
		return nil
	}
	return decide.RestSettled(v1alpha1.ReasonCancelled, howEnded(in)+"; nothing else is compared")
}

// sendModifications sends the first change that may be sent. A change that is held back does not hold
// back the others. If all are held back, a verdict about work in progress is reported before one
// that waits for a person.
func sendModifications(in *Input) *decide.Decision {
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

// valueHasDrifted reports a drifted plan or value as not in sync, although nothing is sent.
func valueHasDrifted(in *Input) *decide.Decision {
	reports := func(value describedValue) bool { return !corrects(in, value.operation) }
	if in.Service.OnlyObserves() || !onlyReportsPlanDrift(in) && !slices.ContainsFunc(drifted(in), reports) {
		return nil
	}
	return driftDecision(in)
}

func alterationIsOpen(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, in.Service.OpenCancellation(), evidence{in})
}

// cancellationIsUnknown returns a decision while the cancellation is needed but unknown, or was last
// read before it was declared.
func cancellationIsUnknown(in *Input) *decide.Decision {
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

func sendCancellation(in *Input) *decide.Decision {
	if why := cancellationBarred(in); why != nil {
		return decide.RestOn(*why)
	}
	want := desiredCancellation(in)
	if !want.Wanted() {
		return nil
	}
	return sendOrHold(in, want)
}

// cancellationHasDrifted reports a drifted cancellation as not in sync, although nothing is sent.
func cancellationHasDrifted(in *Input) *decide.Decision {
	want := in.wanted.cancellation
	if in.Service.OnlyObserves() || !want.Wanted() || !onlyReportsCancellationDrift(in, want) {
		return nil
	}
	return driftDecision(in)
}

// driftDecision is Stuck if a person has to decide, and Working if the policy corrects the drift.
func driftDecision(in *Input) *decide.Decision {
	aspect := driftAspect(in)
	if aspect == nil {
		return nil
	}
	if in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		return decide.RestWorking(aspect.Reason, aspect.Message)
	}
	return decide.RestStuck(aspect.Reason, aspect.Message)
}

// driftAspect describes the drift, with old and new values; nil if there is none.
func driftAspect(in *Input) *decide.Aspect {
	var words []string
	if plan, declared := in.Service.LastKnown().Plan, in.Service.Spec.Plan; declared != nil &&
		planDrifted(plan) && !decide.SameName(declared.Name, plan.Value) {
		words = append(words, fmt.Sprintf("plan.name %q → %q", plan.AsHealth, plan.Value))
	}
	for _, value := range drifted(in) {
		words = append(words, fmt.Sprintf("%s %q → %q", value.field, (*value.known).DriftedFrom, (*value.known).Value))
	}
	if want := in.wanted.cancellation; want.Wanted() && cancellationWasAsDeclared(in) {
		words = append(words, fmt.Sprintf("%s %q → %q", fieldCancellation, want.Changes[0].To, want.Changes[0].From))
	}
	if len(words) == 0 {
		return nil
	}
	policy := "nothing is sent. To keep the carrier's value, declare it in spec; to change it back, set " +
		"driftPolicy: Correct"
	if in.Service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		policy = "driftPolicy is Correct: it is changed back at most once in 24 hours, subject to approval, suspend " +
			"and managementPolicy"
	}
	return new(decide.NewAspect(v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted, fmt.Sprintf(
		"the carrier's state changed after the service was in sync: %s; %s", strings.Join(words, ", "), policy)))
}
