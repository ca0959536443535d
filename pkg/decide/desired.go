// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// desiredChange is the change that one request would make.
type desiredChange struct {
	operation v1alpha1.Operation
	target    v1alpha1.RequestTarget
	before    v1alpha1.RequestBefore // the evidence used to judge an unknown outcome
	body      []byte                 // as it is sent, without contact data
	changes   []v1alpha1.Change      // empty if nothing has to change
	unread    bool                   // the current value could not be read
}

func (want desiredChange) wanted() bool { return len(want.changes) > 0 }

// differences returns all changes of the given list.
func differences(wanted []desiredChange) []v1alpha1.Change {
	var changes []v1alpha1.Change
	for _, want := range wanted {
		changes = append(changes, want.changes...)
	}
	return changes
}

// Body builds the body of a request from its target, "without contact data", and the contact.
func Body(
	operation v1alpha1.Operation, service v1alpha1.CarrierID, target v1alpha1.RequestTarget, to v1alpha1.Contact,
) []byte {
	serviceID := service.Number()
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
	return planChangeRequest(service, target, to).Body()
}

func planChangeRequest(
	service v1alpha1.CarrierID, target v1alpha1.RequestTarget, to v1alpha1.Contact,
) carrier.PlanChangeRequest {
	return carrier.PlanChangeRequest{
		ServiceID: service.Number(), PlanName: target.Plan, Term: int(target.Term),
		RestorationSLA: target.RestorationSLA, NTDOption: target.NTDOption,
		ContactName: to.Name, ContactPhone: to.Phone, ContactEmail: to.Email,
	}
}

// costs reports whether the change is chargeable: the breaker and the charge limit hold back the
// classes Charge and Never.
func (want desiredChange) costs() bool {
	return ClassOf(want.operation, want.target).Costly()
}

// ClassOf returns the repeat class of a request, from the table by operation and target.
func ClassOf(operation v1alpha1.Operation, target v1alpha1.RequestTarget) carrier.RepeatClass {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.RepeatClass(target.NTDOption != "")
}

// intent returns the request as it is recorded before it is sent.
func (want desiredChange) intent(in *Input) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: want.operation, Attempt: attemptNumber(in, want), Repeats: questionsBefore(in, want),
		Target: want.target, Before: want.before,
		Identity: in.Account.Object.IdentityName(), BaseURL: in.Account.Object.Spec.BaseURL,
		Generation: in.Subject.GetGeneration(), BodyHash: want.bodyHash(),
		Phase: v1alpha1.PhaseSubmitting, APIVersion: in.Account.Object.Spec.APIVersion,
	}
}

// attemptNumber counts the attempts at the same change of the same generation.
func attemptNumber(in *Input, want desiredChange) int32 {
	last := in.Subject.RequestOf(want.operation)
	if last == nil || last.Generation != in.Subject.GetGeneration() || last.BodyHash != want.bodyHash() {
		return 1
	}
	if last.Phase == v1alpha1.PhaseSucceeded {
		return 1
	}
	return last.Attempt + 1
}

// bodyHash is computed over the body without contact data: a phone number has too few digits to be
// protected by a hash.
func (want desiredChange) bodyHash() string {
	sum := sha256.Sum256(want.body)
	return "sha256:" + hex.EncodeToString(sum[:])
}
