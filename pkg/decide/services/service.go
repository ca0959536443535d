// SPDX-License-Identifier: Apache-2.0

// Package services decides about a BroadbandService: what differs between spec and carrier, whether
// a request may be sent for it, and what the status shows.
//
//	Decide ──► UpdateState      what is known by now
//	   │        ├─ known_values.go, cancellation_shown.go    what readings show
//	   │        └─ known_trust.go                            what is taken from the order or from a person
//	   │
//	   ├─────► compare          what is wanted, computed once
//	   │        ├─ wanted.go, cancellation_declared.go       what differs, and the body of each request
//	   │        ├─ offers.go                                 what the carrier offers, and what a change costs
//	   │        └─ approval.go                               the plan of changes that is shown and approved
//	   │
//	   └─────► rules.go         the rules, in their order
//	            ├─ reading_due.go, reading_fresh.go          what has to be read first
//	            ├─ guards.go, guards_refused.go              whether a change may be sent
//	            ├─ lost_*.go                                 whether a lost request was accepted, or is sent again
//	            └─ conditions.go                             what the conditions say
//
// result_*.go take over the carrier's result, where charges are compared. ledger.go copies what is
// known between ledger and status. shown.go shows the history of requests, and describes the current
// change in one line.
package services

import (
	"cmp"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Decide takes over what is known by now, and decides about one BroadbandService.
func Decide(in Input) decide.Decision {
	UpdateState(&in)
	compare(&in)
	result := applyRules(&in)
	decision := withReadings(&in, result.both)
	decision.RequeueAt = decide.Earlier(decision.RequeueAt, correctsAt(&in))
	decision.Pending = in.wanted.pending
	decision.Aspects = aspectsOf(&in, result)
	decision.WithControls(&in.Input)
	return decision
}

// UpdateState updates the status with what is known without a step: the responses of readings, the
// values of the order, and the values that the user has asked to trust.
func UpdateState(in *Input) {
	if in.Account.Object == nil || in.Service.ServiceNumber() == "" {
		return // nothing may be trusted before the ledger is known
	}
	recordValues(in)
	recordReadCancellation(in)
	recordAgreement(in)
	assumeUnread(in)
}

// compare computes what is wanted. After that, the known state may not change in the same pass.
func compare(in *Input) {
	in.wanted = wanted{changes: desiredChanges(in), cancellation: withBody(in, cancellationDiffers(in))}
	in.wanted.pending = pendingOf(in)
}

// correctsAt returns when drift that is only reported until then may be corrected; zero if there is
// none, or if the policy does not correct it.
func correctsAt(in *Input) time.Time {
	var at time.Time
	if in.Service.Spec.DriftPolicy != v1alpha1.DriftCorrect {
		return at
	}
	var reported []v1alpha1.Operation
	if onlyReportsPlanDrift(in) {
		reported = append(reported, v1alpha1.OperationPlanChange)
	}
	for _, value := range drifted(in) {
		if !corrects(in, value.operation) {
			reported = append(reported, value.operation)
		}
	}
	if want := in.wanted.cancellation; want.Wanted() && onlyReportsCancellationDrift(in, want) {
		reported = append(reported, want.Operation)
	}
	for _, operation := range reported {
		if last := decide.ReachedOf(&in.Input, operation); last != nil {
			at = decide.Earlier(at, in.Past(last.SubmittedAt).Add(correctEvery))
		}
	}
	return at
}

// WantedRequests returns the changes that would be sent, with their bodies, in addition to those in
// progress: the requests behind the plan of changes.
func WantedRequests(in *Input) []decide.DesiredChange {
	if in.Service.ServiceNumber() == "" {
		return nil
	}
	compare(in)
	return wantedNext(in)
}

// TakeNumber takes the service's number from its order, once the order has one. The number is kept
// in the status, because the order may be deleted.
func TakeNumber(service *v1alpha1.BroadbandService, order *Order) {
	known := service.ServiceNumber()
	if known == "" && order != nil {
		known = order.ServiceID
	}
	service.Status.ServiceID = known
}

// OrderOf returns the values that a service takes over from the order that created it. It is
// empty until the carrier has accepted the order, even if spec.serviceID is set. Nothing is taken
// from an order of another account: at another carrier, its number identifies a different
// service. The term is that of the request, because the spec may have been edited meanwhile.
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
		return "", new(decide.Stuck.Verdict(v1alpha1.ReasonInvalid, fmt.Sprintf(
			"BroadbandService %s belongs to CarrierAccount %s, but this object belongs to %s: create another object "+
				"that uses the account of the service", service.Name, service.AccountName(), account.Name)))
	case service.ServiceNumber() == "":
		return "", serviceNotReady(ref, "has no service id yet: the operator continues automatically once it has one")
	default:
		number = service.ServiceNumber()
	}
	if !decide.Listed(account, number) {
		return number, new(decide.NotFoundOrForbidden(number))
	}
	return number, nil
}

func serviceNotReady(ref *v1alpha1.ServiceReference, why string) *decide.Verdict {
	name := ""
	if ref != nil {
		name = ref.Name
	}
	return new(decide.Working.Verdict(v1alpha1.ReasonServiceNotReady, fmt.Sprintf("BroadbandService %s %s", name, why)))
}
