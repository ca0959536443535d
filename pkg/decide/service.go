// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// rule looks at one thing. It answers, or leaves the decision to the next rule.
type rule func(*View) *Decision

// servicePass is the order of one pass over a service; the first rule that
// answers decides.
func servicePass() []rule {
	return []rule{
		answeredRequest,  // an answer in memory goes into the status before anything else
		resolvedByPerson, // a person's word settles an unknown outcome
		whoseService,     // the order it comes from, another object that manages it, the account's list
		statusLost,       // a finalizer without a status: something may have been sent
		accountReady,     // nothing can be asked without a login
		sentElsewhere,    // a request under way belongs to the carrier and identity it was sent to
	}
}

// modificationLane is what is done about plan, SLA, aggregation, DSL profile and reclaim,
// one request at a time.
func modificationLane() []rule {
	return []rule{
		openModification,  // what is with the carrier is followed to its end
		cancelledAsWanted, // a service that has ended as declared is compared no more
		unknownPlan,       // what must be known is read
		modifications,     // what differs is brought about, if the guards let it
	}
}

// cancellationLane is what is done about the service's cancellation: "reschedule and
// abort are immediate and never wait behind" a modification.
func cancellationLane() []rule {
	return []rule{
		openCancellation,    // what is with the carrier is followed to its end
		unknownCancellation, // what must be known is read
		cancellation,        // what differs is brought about, if the guards let it
	}
}

// Service judges one BroadbandService.
func Service(v View) Decision {
	said := answerOf(&v)
	decision := withReadings(&v, said.both)
	decision.Pending = pendingOf(&v)
	decision.Facets = facetsOf(&v, said)
	decision.Handled = handledBy(&v, decision)
	return decision
}

// answer is what the rules say: of the whole object, and of each lane.
type answer struct {
	both                       Decision
	modification, cancellation Verdict
}

func answerOf(v *View) answer {
	if first := firstOf(v, servicePass()); first != nil {
		return answer{*first, first.Verdict, first.Verdict}
	}
	modified, ended := firstOf(v, modificationLane()), firstOf(v, cancellationLane())
	said := answer{modification: inSync(v), cancellation: inSync(v)}
	if modified != nil {
		said.modification = modified.Verdict
	}
	if ended != nil {
		said.cancellation = ended.Verdict
	}
	said.both = Decision{Step: Rest{}, Verdict: inSync(v)}
	if both := beside(modified, ended); both != nil {
		said.both = *both
	}
	return said
}

func firstOf(v *View, rules []rule) *Decision {
	for _, rule := range rules {
		if decision := rule(v); decision != nil {
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
	case modified == nil || !rests(ended.Step):
		return ended
	case !rests(modified.Step):
		return modified
	}
	return weightier(modified, ended)
}

func inSync(v *View) Verdict {
	switch v.Service.Spec.ManagementPolicy {
	case v1alpha1.ManagementObserve:
		const message = "managementPolicy is Observe: the carrier's state is read and nothing is changed"
		return Verdict{Settled, v1alpha1.ReasonObserving, message}
	case v1alpha1.ManagementManage, v1alpha1.ManagementPlan:
	}
	return Verdict{Settled, v1alpha1.ReasonInSync, "the carrier's state is as declared"}
}

// whoseService answers where this object may not speak for a service.
func whoseService(v *View) *Decision {
	serviceID := v.Service.ServiceNumber()
	switch {
	case serviceID == 0:
		return orderNotReady(v)
	case v.Rival != "":
		return lookAgain(stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"service %d is already managed by BroadbandService %s, which came first: delete one of the two",
			serviceID, v.Rival)), v.Now.Add(rivalPause))
	case !listed(v.Account.Object, serviceID) && len(v.Service.OpenRequests()) == 0:
		// The same words as for a service that the carrier does not know: an
		// account's list is no oracle.
		return stuck(v1alpha1.ReasonNotFoundOrForbidden, notFoundOrForbidden(serviceID))
	case v.Named:
		// Written down before anything is done with it, so that another object of the
		// service can see it.
		return lookAgain(working(v1alpha1.ReasonProgressing, fmt.Sprintf(
			"ServiceOrder %s became service %d", v.Service.Spec.OrderRef.Name, serviceID)), v.Now.Add(time.Second))
	}
	return nil
}

// orderNotReady waits for the order to become a service.
func orderNotReady(v *View) *Decision {
	why := "has no service yet: it goes on by itself once status.serviceID of the order is set"
	if v.Order == nil {
		why = "does not exist in this namespace: create it, or set serviceID"
	}
	name := ""
	if v.Service.Spec.OrderRef != nil {
		name = v.Service.Spec.OrderRef.Name
	}
	return working(v1alpha1.ReasonOrderNotReady, fmt.Sprintf("ServiceOrder %s %s", name, why))
}

// rivalPause is the wait before a rival is looked for again: that its request has ended,
// or that its account is gone, is no event of this object.
const rivalPause = 2 * time.Minute

// sentElsewhere: identity and baseURL are "pinned". What was sent to one carrier is
// neither followed at another, nor proven or repeated there.
func sentElsewhere(v *View) *Decision {
	account := v.Account.Object
	for _, open := range v.Service.OpenRequests() {
		if open.BaseURL == account.Spec.BaseURL && open.Identity == account.IdentityName() {
			continue
		}
		return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"%s attempt %s was sent to %s as %s, and the account is now %s as %s: restore it, or settle the request by hand: %s",
			open.Operation, open.AttemptID, open.BaseURL, open.Identity,
			account.Spec.BaseURL, account.IdentityName(), resolveHint(v, open)))
	}
	return nil
}

func listed(account *v1alpha1.CarrierAccount, serviceID int64) bool {
	return account == nil || len(account.Spec.ServiceIDs) == 0 || slices.Contains(account.Spec.ServiceIDs, serviceID)
}

// accountReady answers while the account cannot be used.
func accountReady(v *View) *Decision {
	name := v.Service.Spec.AccountRef.Name
	if v.Account.Object == nil {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s does not exist in this namespace: create it, and this service goes on by itself", name))
	}
	if v.Account.Unusable != nil {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s cannot be used (%v)%s", name, v.Account.Unusable, alsoInFlight(v)))
	}
	ready := readyOf(v.Account.Object)
	if ready.Status != "True" || ready.ObservedGeneration != v.Account.Object.Generation {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s is not ready (%s)%s", name, orElse(ready.Reason, "not looked at yet"), alsoInFlight(v)))
	}
	return nil
}

func alsoInFlight(v *View) string {
	for _, open := range v.Service.OpenRequests() {
		return fmt.Sprintf("; the %s under way is followed once it is", open.Operation)
	}
	return ""
}

// answeredRequest answers when this process holds an answer that is not recorded.
func answeredRequest(v *View) *Decision {
	for _, open := range v.Service.OpenRequests() {
		if v.Memory.Attempts[open.AttemptID].Receipt != nil {
			return &Decision{Step: Record{AttemptID: open.AttemptID}, Verdict: progressing(open)}
		}
	}
	return nil
}

// statusLost: "The finalizer present and the status empty means that the status was
// lost: nothing chargeable is sent". The finalizer comes after the first request is in
// the status, so a finalizer without a request says it, whatever else the status holds.
func statusLost(v *View) *Decision {
	held, account := slices.Contains(v.Service.Finalizers, v1alpha1.Finalizer), v.Account.Object
	if !held || len(v.Service.Status.Requests) > 0 || account == nil {
		return nil
	}
	lost := v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Attempt: 1, Phase: v1alpha1.PhaseOutcomeUnknown,
		Identity: account.IdentityName(), BaseURL: account.Spec.BaseURL, APIVersion: account.Spec.APIVersion,
		Generation: v.Service.Generation,
		Error: &v1alpha1.RequestError{
			Code:    v1alpha1.ReasonStatusLost,
			Message: "the object has the operator's finalizer and no request on record: its memory of what was sent is gone",
		},
	}
	return &Decision{Step: MournStatus{Request: lost}, Verdict: unknown(v, &lost)}
}

// refused holds a wish after a definitive failure: "it needs a new generation or the
// retry annotation" (submission protocol, repeat classes).
func refused(v *View, w wish) *Decision {
	request := lastOf(v, w.operation)
	if request == nil || !Definitive(request.Phase) || request.Generation != v.Service.Generation ||
		wantsRetry(v) || aboutAnother(v, request) {
		return nil
	}
	again := tryAgainAt(request)
	if !again.IsZero() && !v.Now.Before(again) {
		return nil
	}
	decision := stuck(reasonOf(request.Error), failureMessage(request))
	if anotherInProgress(request) {
		decision.Verdict.Standing = Working // "wait and try again": nobody is needed
	}
	return lookAgain(decision, again)
}

// lastOf is the newest request of an operation, or the one that stands for all that a
// lost status forgot. Reschedule and abort go on whatever became of those.
func lastOf(v *View, operation v1alpha1.Operation) *v1alpha1.Request {
	lost := v.Service.RequestOf(v1alpha1.OperationPlanChange)
	if lost != nil && gaveUpAll(lost) && !operation.AltersCancellation() {
		return lost
	}
	return v.Service.RequestOf(operation)
}

// gaveUpAll: what was sent before a status was lost is not known, so a person who gives
// it up gives up every operation of that generation.
func gaveUpAll(lost *v1alpha1.Request) bool {
	return lost.Phase == v1alpha1.PhaseAbandoned && StandsForLost(lost)
}

// StandsForLost says whether a request on record stands for whatever was sent before the
// status was lost: a plan change without a plan.
func StandsForLost(request *v1alpha1.Request) bool {
	return request.Operation == v1alpha1.OperationPlanChange && request.Target == (v1alpha1.RequestTarget{})
}

// Definitive says whether an attempt ended in a failure that is not repeated by itself.
func Definitive(phase v1alpha1.RequestPhase) bool {
	return phase == v1alpha1.PhaseFailed || phase == v1alpha1.PhaseRejected || phase == v1alpha1.PhaseAbandoned
}

// wantsRetry says whether the retry annotation holds a value not acted on yet.
func wantsRetry(v *View) bool {
	asked := v.Service.Annotations[v1alpha1.AnnotationRetry]
	return asked != "" && asked != v.Service.Status.Handled.Retry
}

// handledBy says which control annotations count as acted on with this decision.
// The retry annotation is consumed by the intent, not here.
func handledBy(v *View, decision Decision) v1alpha1.Handled {
	handled := v.Service.Status.Handled
	if settled, ok := decision.Step.(Settle); ok && resolutionNames(v, settled.AttemptID) {
		handled.Resolve = v.Service.Annotations[v1alpha1.AnnotationResolve]
	}
	if resolutionIsVoid(v) {
		handled.Resolve = v.Service.Annotations[v1alpha1.AnnotationResolve]
	}
	if reconcileServed(v) {
		handled.Reconcile = v.Service.Annotations[v1alpha1.AnnotationReconcile]
	}
	return handled
}
