// SPDX-License-Identifier: Apache-2.0

// Package services decides about a BroadbandService: what differs between spec and carrier, whether
// a request may be sent for it, and what the status shows.
//
//	UpdateState ──► Decide ──► decide.Decision
//	                │
//	                ├─ desired.go, cancellation.go   what differs
//	                ├─ guards.go, pending.go         whether it may be sent, and who has to approve it
//	                ├─ readings.go, refresh.go       what has to be read first
//	                ├─ lostresponse.go, proof.go,
//	                │  notaccepted.go                whether a request whose response was lost was accepted
//	                └─ conditions.go                 what the conditions say
package services

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// rule checks one thing. It returns a decision, or nil to let the next rule decide.
type rule func(*Input) *decide.Decision

// servicePass lists the rules of one pass over a service, in order. The first rule that returns a
// decision wins.
func servicePass() []rule {
	return []rule{
		common(decide.AnsweredRequest),  // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson), // a person's resolution settles an unknown outcome
		whoseService,                    // the order that the service comes from, and the account's list of services
		common(decide.AccountReady),     // no call is possible without a login
		common(decide.SentElsewhere),    // a request in progress belongs to the carrier and identity it was sent to
		onlyTracked,                     // for a service that is not on the account's list, only that request is tracked
	}
}

// common adapts a rule that applies to objects of every kind.
func common(rule func(*decide.Input) *decide.Decision) rule {
	return func(in *Input) *decide.Decision { return rule(&in.Input) }
}

// modificationLane lists the rules for plan, SLA, aggregation, DSL profile and reclaim. These
// requests are sent one at a time.
func modificationLane() []rule {
	return []rule{
		openModification,  // a request at the carrier is tracked until it ends
		unknownAlteration, // an unknown outcome blocks every change of the service
		cancelledAsWanted, // a service that has ended as declared is no longer compared
		hidden,            // nothing is reported about a service that the carrier does not show
		undescribed,       // the carrier's description of the service is read if a declared value has to be known
		unknownPlan,       // the plan is read if it has to be known
		firstReading,      // the first read checks whether the service exists
		modifications,     // differences are sent to the carrier, if the guards allow it
		valueDrift,        // the carrier has moved to another plan or value, which is only reported
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

// Judge takes over what is known by now, and decides about one BroadbandService.
func Judge(in Input) decide.Decision {
	UpdateState(&in)
	return Decide(in)
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

// Decide decides about one BroadbandService.
func Decide(in Input) decide.Decision {
	result := applyRules(&in)
	decision := withReadings(&in, result.both)
	decision.RequeueAt = decide.Earlier(decision.RequeueAt, correctsAt(&in))
	decision.Pending = pendingOf(&in)
	decision.Aspects = aspectsOf(&in, result)
	decision.WithControls(&in.Input)
	if reconcileServed(&in) {
		decision.Handled.Reconcile = decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	}
	return decision
}

func applyRules(in *Input) rulesResult {
	if first := firstOf(in, servicePass()); first != nil {
		return rulesResult{*first, first.Verdict, first.Verdict}
	}
	modified, ended := firstOf(in, modificationLane()), firstOf(in, cancellationLane())
	settled := inSync(in)
	result := rulesResult{decide.Decision{Step: decide.Rest{}, Verdict: settled}, settled, settled}
	if modified != nil {
		result.modification = modified.Verdict
	}
	if ended != nil {
		result.cancellation = ended.Verdict
	}
	if both := decide.Combined(modified, ended); both != nil {
		result.both = *both
	}
	return result
}

func firstOf(in *Input, rules []rule) *decide.Decision {
	for _, rule := range rules {
		if decision := rule(in); decision != nil {
			return decision
		}
	}
	return nil
}
