// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// fillFromOrder takes values from the order that created the service, where nothing newer is known.
func fillFromOrder(in *Input) {
	order := in.Order
	if order == nil || order.ServiceID != in.Service.ServiceNumber() {
		return
	}
	state := &v1alpha1.CarrierState{} // the recorded state stays unchanged if no value is taken
	if held := in.Service.Status.Carrier; held != nil {
		state = held
	}
	if state.AVCID == "" {
		state.AVCID = decide.Bounded(order.AVCID, 64)
	}
	for _, aspect := range []struct {
		operation v1alpha1.Operation
		ordered   *v1alpha1.KnownValue
		held      **v1alpha1.KnownValue
	}{
		{v1alpha1.OperationPlanChange, ordered(in, order.Plan), &state.Plan},
		{v1alpha1.OperationPlanChange, orderedTerm(in), &state.Term},
		{v1alpha1.OperationPlanChange, ordered(in, order.RestorationSLA), &state.RestorationSLA},
		{v1alpha1.OperationAggregationConversion, ordered(in, order.AggregationMethod), &state.AggregationMethod},
	} {
		if aspect.ordered != nil && *aspect.held == nil && in.Subject.RequestOf(aspect.operation) == nil {
			*aspect.held = aspect.ordered
			in.Service.Status.Carrier = state
		}
	}
}

// ordered returns a value that was ordered; nil if the order does not have it.
func ordered(in *Input, value string) *v1alpha1.KnownValue {
	if value == "" {
		return nil
	}
	return knownValue(decide.Bounded(value, 200), v1alpha1.SourceOrder, in.Now)
}

// orderedTerm returns the term of the plan that was ordered; nil if the order does not have both, or
// if the service has had another plan since.
func orderedTerm(in *Input) *v1alpha1.KnownValue {
	plan := in.Service.LastKnown().Plan
	if in.Order.Term == 0 || in.Order.Plan == "" || plan != nil && plan.Source != v1alpha1.SourceOrder {
		return nil
	}
	return knownTerm(decide.Bounded(in.Order.Plan, 200), in.Order.Term, v1alpha1.SourceOrder, in.Now)
}

// NumberOf returns the carrier's number for the service of a task: its own, or that of the
// BroadbandService that it names. The verdict explains why there is none, or why it may not be
// used; nil if it may.
func NumberOf(
	account *v1alpha1.CarrierAccount, own v1alpha1.CarrierID, ref *v1alpha1.ServiceReference,
	service *v1alpha1.BroadbandService,
) (v1alpha1.CarrierID, *decide.Verdict) {
	number := own
	switch {
	case own != "":
	case service == nil:
		return "", serviceNotReady(ref,
			"does not exist in this namespace: create it; the operator then continues automatically")
	case account != nil && service.AccountName() != account.Name:
		return "", &decide.Verdict{
			State: decide.Stuck, Reason: v1alpha1.ReasonInvalid,
			Message: fmt.Sprintf(
				"BroadbandService %s belongs to CarrierAccount %s, but this object belongs to %s: create another object "+
					"that uses the account of the service",
				service.Name, service.AccountName(), account.Name),
		}
	case service.ServiceNumber() == "":
		return "", serviceNotReady(ref, "has no service id yet: the operator continues automatically once it has one")
	default:
		number = service.ServiceNumber()
	}
	if !decide.Listed(account, number) {
		refusal := decide.NotFoundOrForbidden(number)
		return number, &refusal
	}
	return number, nil
}

func serviceNotReady(ref *v1alpha1.ServiceReference, why string) *decide.Verdict {
	name := ""
	if ref != nil {
		name = ref.Name
	}
	return &decide.Verdict{
		State: decide.Working, Reason: v1alpha1.ReasonServiceNotReady,
		Message: fmt.Sprintf("BroadbandService %s %s", name, why),
	}
}

// OrderOf returns what a service of an account takes over from the order that created it. It is
// empty until the carrier has accepted the order, even if spec.serviceID is set. From an order of
// another account nothing is taken over: at another carrier, its number is that of a stranger's
// service. The term is that of the request, because the spec may have been edited while it was sent.
func OrderOf(order *v1alpha1.ServiceOrder, account string) *Order {
	known, request := &Order{}, order.Status.Request
	if order.AccountName() != account {
		known.OtherAccount = order.AccountName()
		return known
	}
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded {
		return known
	}
	known.Accepted = true
	known.ServiceID = cmp.Or(order.Spec.ServiceID, order.Status.ServiceID)
	known.Plan, known.Term = order.Status.PlanName, request.Target.Term
	known.RestorationSLA, known.AggregationMethod = order.Status.RestorationSLA, order.Status.AggregationMethod
	known.AVCID = order.Status.AVCID
	return known
}
