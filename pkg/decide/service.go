// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// rule looks at one thing. It answers, or leaves the decision to the next rule.
type rule func(*ServiceInput) *Decision

// servicePass is the order of one pass over a service; the first rule that
// answers decides.
func servicePass() []rule {
	return []rule{
		common(answeredRequest),  // an answer in memory goes into the status before anything else
		common(resolvedByPerson), // a person's word resolves an unknown outcome
		whoseService,             // the order it comes from, the account's list
		common(accountReady),     // nothing can be asked without a login
		common(sentElsewhere),    // a request under way belongs to the carrier and identity it was sent to
		onlyFollowed,             // of a service off the account's list that request is all that is looked at
	}
}

// common is a rule of every kind.
func common(rule func(*Input) *Decision) rule {
	return func(in *ServiceInput) *Decision { return rule(&in.Input) }
}

// modificationLane is what is done about plan, SLA, aggregation, DSL profile and reclaim,
// one request at a time.
func modificationLane() []rule {
	return []rule{
		openModification,  // what is with the carrier is followed to its end
		unknownAlteration, // an unknown outcome holds back every change of the service
		cancelledAsWanted, // a service that has ended as declared is compared no more
		hidden,            // of what the carrier does not show nothing is said
		unknownPlan,       // what must be known is read
		firstLook,         // and whether there is a service
		modifications,     // what differs is brought about, if the guards let it
		planDrift,         // the carrier has moved to another plan, and that is only reported
	}
}

// cancellationLane is what is done about the service's cancellation: "reschedule and
// abort are immediate and never wait behind" a modification.
func cancellationLane() []rule {
	return []rule{
		openCancellation,    // what is with the carrier is followed to its end
		unknownCancellation, // what must be known is read
		cancellation,        // what differs is brought about, if the guards let it
		cancellationDrift,   // the carrier has another one, and that is only reported
	}
}

// Service judges one BroadbandService.
func Service(in ServiceInput) Decision {
	said := answerOf(&in)
	decision := withReadings(&in, said.both)
	decision.LookAt = earlier(decision.LookAt, correctsAt(&in))
	decision.Pending = pendingOf(&in)
	decision.Aspects = aspectsOf(&in, said)
	decision.withControls(&in.Input)
	if reconcileServed(&in) {
		decision.Handled.Reconcile = control(in.Subject, v1alpha1.AnnotationReconcile)
	}
	return decision
}

// answer is what the rules say: of the whole object, and of each lane.
type answer struct {
	both                       Decision
	modification, cancellation Verdict
}

func answerOf(in *ServiceInput) answer {
	if first := firstOf(in, servicePass()); first != nil {
		return answer{*first, first.Verdict, first.Verdict}
	}
	modified, ended := firstOf(in, modificationLane()), firstOf(in, cancellationLane())
	settled := inSync(in)
	said := answer{Decision{Step: Rest{}, Verdict: settled}, settled, settled}
	if modified != nil {
		said.modification = modified.Verdict
	}
	if ended != nil {
		said.cancellation = ended.Verdict
	}
	if both := beside(modified, ended); both != nil {
		said.both = *both
	}
	return said
}

func firstOf(in *ServiceInput, rules []rule) *Decision {
	for _, rule := range rules {
		if decision := rule(in); decision != nil {
			return decision
		}
	}
	return nil
}

// beside is what two lanes come to: a step of the cancellation first, then one of the
// modifications, and when both rest what says more.
func beside(modified, ended *Decision) *Decision {
	switch {
	case ended == nil:
		return modified
	case modified == nil || !isRest(ended.Step):
		return ended
	case !isRest(modified.Step):
		return modified
	}
	return weightier(modified, ended)
}

func inSync(in *ServiceInput) Verdict {
	switch in.Service.Spec.ManagementPolicy {
	case v1alpha1.ManagementObserve:
		const message = "managementPolicy is Observe: the carrier's state is read and nothing is changed"
		return Verdict{Settled, v1alpha1.ReasonObserving, message}
	case v1alpha1.ManagementManage, v1alpha1.ManagementPlan:
	}
	return Verdict{Settled, v1alpha1.ReasonInSync, inSyncWords(in)}
}

// whoseService answers where this object may not speak for a service.
func whoseService(in *ServiceInput) *Decision {
	serviceID := in.Service.ServiceNumber()
	switch {
	case serviceID == "":
		return orderNotReady(in)
	case !Listed(in.Account.Object, serviceID) && len(in.Subject.OpenRequests()) == 0:
		return &Decision{Step: Rest{}, Verdict: unseenService(in)}
	}
	return nil
}

// orderNotReady waits for the order to become a service.
func orderNotReady(in *ServiceInput) *Decision {
	why := "has no service yet: this continues by itself once status.serviceID of the order is set"
	switch {
	case in.Order == nil:
		why = "does not exist in this namespace: create it, or set serviceID"
	case !in.Order.Accepted:
		why = "has not been accepted by the carrier: this continues by itself once it is, and has a service"
	}
	name := ""
	if in.Service.Spec.OrderRef != nil {
		name = in.Service.Spec.OrderRef.Name
	}
	return working(v1alpha1.ReasonOrderNotReady, fmt.Sprintf("ServiceOrder %s %s", name, why))
}

// refused holds a change after a definitive failure of the same. What became of a request
// for something else, or about another cancellation, says nothing about this one.
func refused(in *ServiceInput, want desiredChange) *Decision {
	last := lastOf(in, want.operation)
	if last != nil && (aboutAnother(in, last) || last.BodyHash != "" && last.BodyHash != want.bodyHash()) {
		return nil
	}
	held := heldBack(&in.Input, last)
	if held != nil && held.Verdict.Reason == v1alpha1.ReasonNotFoundOrForbidden {
		held.Verdict = unseen(last.Operation, in.Service.ServiceNumber())
		held.Verdict.Message += retryFlaw(&in.Input, last)
	}
	return held
}

// lastOf is the newest request of an operation that reached the carrier, or may have, or the one that
// stands for all that a lost ledger forgot. Reschedule and abort go on whatever became of those.
func lastOf(in *ServiceInput, operation v1alpha1.Operation) *v1alpha1.Request {
	lost := reachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if lost != nil && gaveUpAll(lost) && !operation.AltersCancellation() {
		return lost
	}
	return reachedOf(&in.Input, operation)
}

// gaveUpAll: what was sent before a ledger was lost is not known, so a person who gives
// it up gives up every operation of that generation.
func gaveUpAll(lost *v1alpha1.Request) bool {
	return lost.Phase == v1alpha1.PhaseAbandoned && StandsForLost(lost)
}

// StandsForLost says whether a request on record stands for whatever was sent before the
// ledger was lost: a plan change without a plan.
func StandsForLost(request *v1alpha1.Request) bool {
	return request.Operation == v1alpha1.OperationPlanChange && request.Target == (v1alpha1.RequestTarget{})
}
