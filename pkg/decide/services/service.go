// SPDX-License-Identifier: Apache-2.0

// Package services decides about a BroadbandService: what differs between spec and carrier, whether
// a request may be sent for it, and what the status shows.
//
//	Decide ──► UpdateState ──► evaluate ──► decide.Decision
//	                           │
//	                           ├─ rules.go                      the rules, in their order; each one uses the files below
//	                           ├─ desired.go, price.go,
//	                           │  cancellation.go, drift.go     what differs, and what it costs
//	                           ├─ guards.go, approval.go        whether it may be sent, and whether it needs an approval
//	                           ├─ pending.go                    the plan of changes that is shown and approved
//	                           ├─ readings.go, description.go,
//	                           │  refresh.go                    what has to be read first
//	                           ├─ lostresponse.go, proof.go     whether a request whose response was lost was accepted
//	                           ├─ repeat.go                     whether it is still wanted, and may be sent again
//	                           └─ conditions.go                 what the conditions say
//
// request.go builds a request, and holds it back after a failure. What is known is recorded in the
// status by observed.go, description.go, drift.go, order.go, trust.go and disruptions.go, and by
// finish.go from the carrier's result, where fees.go compares the charges. ledger.go copies it
// between ledger and status. shown.go shows the history of requests, and describes the current
// change in one line.
package services

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Decide takes over what is known by now, and decides about one BroadbandService.
func Decide(in Input) decide.Decision {
	UpdateState(&in)
	return evaluate(&in)
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

// evaluate applies the rules to the current state.
func evaluate(in *Input) decide.Decision {
	compare(in)
	result := applyRules(in)
	decision := withReadings(in, result.both)
	decision.RequeueAt = decide.Earlier(decision.RequeueAt, correctsAt(in))
	decision.Pending = in.wanted.pending
	decision.Aspects = aspectsOf(in, result)
	decision.WithControls(&in.Input)
	return decision
}
