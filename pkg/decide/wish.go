// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// wish is what one request would bring about.
type wish struct {
	operation v1alpha1.Operation
	target    v1alpha1.RequestTarget
	changes   []v1alpha1.Change // none: nothing is wanted
}

func (w wish) wanted() bool { return len(w.changes) > 0 }

// wishes are the modifications that are wanted, in the order in which they are sent,
// one at a time: the carrier takes one "only when no other modification is in progress".
func wishes(v *View) []wish {
	var wanted []wish
	if endedAsWanted(v) {
		return nil
	}
	for _, compare := range []func(*View) wish{
		reclaimWish,     // a service that is disconnected takes no other
		planChangeWish,  // plan and restoration SLA
		aggregationWish, // aggregation method
		dslProfileWish,  // DSL stability profile
	} {
		if w := compare(v); w.wanted() {
			wanted = append(wanted, w)
		}
	}
	return wanted
}

// differences are all changes that are wanted.
func differences(wanted []wish) []v1alpha1.Change {
	var changes []v1alpha1.Change
	for _, w := range wanted {
		changes = append(changes, w.changes...)
	}
	return changes
}

// Body builds a request's body from its target, "without contact data", and the contact.
func Body(operation v1alpha1.Operation, serviceID int64, target v1alpha1.RequestTarget, to v1alpha1.Contact) []byte {
	method := carrier.AggregationMethod(target.AggregationMethod)
	profile := carrier.DSLStabilityProfile(target.DSLStabilityProfile)
	for _, row := range []struct {
		operation v1alpha1.Operation
		request   interface{ Body() []byte }
	}{
		{
			v1alpha1.OperationAggregationConversion,
			carrier.AggregationConversionRequest{ServiceID: serviceID, AggregationMethod: method},
		},
		{
			v1alpha1.OperationDSLStabilityProfileChange,
			carrier.DSLStabilityProfileChangeRequest{ServiceID: serviceID, DSLStabilityProfile: profile},
		},
		{v1alpha1.OperationReclaim, carrier.ReclaimRequest{ServiceID: serviceID}},
		{
			v1alpha1.OperationCancellationReschedule,
			carrier.CancellationRescheduleRequest{ServiceID: serviceID, CancellationDate: target.Date},
		},
		{v1alpha1.OperationCancellationAbort, carrier.CancellationAbortRequest{ServiceID: serviceID}},
	} {
		if row.operation == operation {
			return row.request.Body()
		}
	}
	return planChangeRequest(serviceID, target, to).Body()
}

func planChangeRequest(serviceID int64, target v1alpha1.RequestTarget, to v1alpha1.Contact) carrier.PlanChangeRequest {
	return carrier.PlanChangeRequest{
		ServiceID: serviceID, PlanName: target.Plan, Term: int(target.Term),
		RestorationSLA: target.RestorationSLA, NTDOption: target.NTDOption,
		ContactName: to.Name, ContactPhone: to.Phone, ContactEmail: to.Email,
	}
}

// costs: the breaker and the charge limit hold back Charge and Never.
func (w wish) costs() bool {
	class := ClassOf(w.operation, w.target)
	return class == carrier.ClassCharge || class == carrier.ClassNever
}

// ClassOf is the repeat class of a request: the table's, by operation and target.
func ClassOf(operation v1alpha1.Operation, target v1alpha1.RequestTarget) carrier.RepeatClass {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.RepeatClass(target.NTDOption != "")
}

// intent is the request as it is written before it is sent.
func (w wish) intent(v *View) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: w.operation, Attempt: attemptNumber(v, w), Target: w.target, Before: w.before(v),
		Identity: v.Account.Object.IdentityName(), BaseURL: v.Account.Object.Spec.BaseURL,
		Generation: v.Service.Generation, BodyHash: w.bodyHash(v),
		Phase: v1alpha1.PhaseSubmitting, APIVersion: v.Account.Object.Spec.APIVersion,
	}
}

// before is the evidence by which an unknown outcome can be judged.
func (w wish) before(v *View) v1alpha1.RequestBefore {
	switch {
	case w.operation == v1alpha1.OperationPlanChange:
		return v1alpha1.RequestBefore{Plan: knownPlan(v).Value}
	case w.operation.AltersCancellation():
		return v1alpha1.RequestBefore{RequestedOn: knownCancellation(v).RequestedOn}
	}
	return v1alpha1.RequestBefore{}
}

// attemptNumber counts attempts at the same wish of the same generation.
func attemptNumber(v *View, w wish) int32 {
	last := v.Service.RequestOf(w.operation)
	if last == nil || last.Generation != v.Service.Generation || last.BodyHash != w.bodyHash(v) {
		return 1
	}
	if last.Phase == v1alpha1.PhaseSucceeded {
		return 1
	}
	return last.Attempt + 1
}
