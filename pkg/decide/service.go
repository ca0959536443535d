// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// rule checks one thing. It returns a decision, or nil to let the next rule decide.
type rule func(*ServiceInput) *Decision

// servicePass lists the rules of one pass over a service, in order. The first rule that returns a
// decision wins.
func servicePass() []rule {
	return []rule{
		common(answeredRequest),  // an answer held in memory is recorded before anything else
		common(resolvedByPerson), // a person's resolution settles an unknown outcome
		whoseService,             // the order that the service comes from, and the account's list of services
		common(accountReady),     // no call is possible without a login
		common(sentElsewhere),    // a request in progress belongs to the carrier and identity it was sent to
		onlyFollowed,             // for a service that is not on the account's list, only that request is tracked
	}
}

// common adapts a rule that applies to objects of every kind.
func common(rule func(*Input) *Decision) rule {
	return func(in *ServiceInput) *Decision { return rule(&in.Input) }
}

// modificationLane lists the rules for plan, SLA, aggregation, DSL profile and reclaim. These
// requests are sent one at a time.
func modificationLane() []rule {
	return []rule{
		openModification,  // a request at the carrier is tracked until it ends
		unknownAlteration, // an unknown outcome blocks every change of the service
		cancelledAsWanted, // a service that has ended as declared is no longer compared
		hidden,            // nothing is reported about a service that the carrier does not show
		unknownPlan,       // the plan is read if it has to be known
		firstLook,         // the first read checks whether the service exists
		modifications,     // differences are sent to the carrier, if the guards allow it
		planDrift,         // the carrier has moved to another plan, which is only reported
	}
}

// cancellationLane lists the rules for the service's cancellation: "reschedule and abort are
// immediate and never wait behind" a modification.
func cancellationLane() []rule {
	return []rule{
		openCancellation,    // a request at the carrier is tracked until it ends
		unknownCancellation, // the cancellation is read if it has to be known
		cancellation,        // differences are sent to the carrier, if the guards allow it
		cancellationDrift,   // the carrier has a different cancellation, which is only reported
	}
}

// Service decides about one BroadbandService.
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

// answer is the result of the rules: for the whole object, and for each lane.
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

// beside combines the decisions of the two lanes: a step of the cancellation lane comes first, then
// a step of the modification lane. If both rest, the weightier decision is returned.
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

// whoseService returns a decision if this object must not manage the service.
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

// orderNotReady waits until the order has a service.
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

// refused holds back a change after a definitive failure of the same change. The outcome of a
// request for something else, or about another cancellation, does not apply to this one.
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

// lastOf returns the newest request of an operation that reached the carrier, or may have. If a
// ledger was lost and its requests were abandoned, the request that stands for all of them is
// returned instead; reschedule and abort do not depend on it.
func lastOf(in *ServiceInput, operation v1alpha1.Operation) *v1alpha1.Request {
	lost := reachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if lost != nil && gaveUpAll(lost) && !operation.AltersCancellation() {
		return lost
	}
	return reachedOf(&in.Input, operation)
}

// gaveUpAll reports whether lost stands for everything in a lost ledger and was abandoned. It is
// not known what was sent before the ledger was lost, so a person who abandons this request
// abandons every operation of that generation.
func gaveUpAll(lost *v1alpha1.Request) bool {
	return lost.Phase == v1alpha1.PhaseAbandoned && StandsForLost(lost)
}

// StandsForLost reports whether a recorded request stands for everything that was sent before the
// ledger was lost: it is a plan change without a plan.
func StandsForLost(request *v1alpha1.Request) bool {
	return request.Operation == v1alpha1.OperationPlanChange && request.Target == (v1alpha1.RequestTarget{})
}
