// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// MaySend holds back a request for the reasons that apply to every kind.
func MaySend(in *Input, want DesiredChange) *Decision {
	for _, guard := range []func(*Input, DesiredChange) *Decision{
		markerPresent,    // no ledger can be created for it
		LedgerNotDeleted, // its ledger is being deleted
		cacheCurrent,     // the cache does not show the latest account or object yet
		backoffOver,      // the last attempt ended without effect a short while ago
		breakerClosed,    // responses were lost recently
		underChargeLimit, // the charge limit is reached
	} {
		if decision := guard(in, want); decision != nil {
			return decision
		}
	}
	return nil
}

// backoffOver holds back a retry until the back-off is over: NotSent, NotProcessed and NotAccepted
// are retried automatically.
func backoffOver(in *Input, want DesiredChange) *Decision {
	last := in.Subject.RequestOf(want.Operation)
	if last == nil || !IsAutoRetried(last.Phase) {
		return nil
	}
	again := sentAgainAt(in, last)
	if !in.Now.Before(again) {
		return nil
	}
	what, reason := phaseText(last.Phase), v1alpha1.ReasonProgressing
	if isUnansweredQuery(last) {
		what = "did not succeed" // the carrier may have processed it, and lost the result
	}
	if last.Phase == v1alpha1.PhaseNotProcessed || last.Phase == v1alpha1.PhaseNotSent && isConnectionError(last.Error) {
		reason = v1alpha1.ReasonCarrierUnavailable
	}
	return RequeueAt(RestWorking(reason, fmt.Sprintf(
		"%s %s (%s): it is sent again automatically", last.Operation, what, ErrorMessage(last.Error))), again)
}

// isConnectionError reports whether an attempt was not sent because of the connection. The codes are
// those of this process.
func isConnectionError(why *v1alpha1.RequestError) bool {
	return why != nil && why.Code != codeGateClosed && why.Code != codeNotPosted
}

// CallVersion returns the API version with which an account calls an operation: the account's own
// version or, if that does not have the operation and the account is not strict, the least version
// that has it.
func CallVersion(account *v1alpha1.CarrierAccount, operation carrier.Operation) int {
	version := int(account.Spec.APIVersion)
	contract, known := carrier.ContractOf(operation)
	if !known || account.Spec.FamilyVersions == v1alpha1.FamilyVersionsStrict {
		return version
	}
	return contract.LeastVersion(version)
}

// apiVersionOf returns CallVersion as it is recorded.
func apiVersionOf(account *v1alpha1.CarrierAccount, operation v1alpha1.Operation) int32 {
	return int32(CallVersion(account, carrier.Operation(operation))) //nolint:gosec // it is between 1 and 8
}

// CheckSupported returns an error if an operation does not exist in the version with which the
// account calls it.
func CheckSupported(in *Input, operation carrier.Operation) error {
	contract, _ := carrier.ContractOf(operation)
	if in.Account.Object == nil {
		return nil
	}
	return contract.SupportedAt(CallVersion(in.Account.Object, operation))
}

// RaiseVersion is the advice about an operation that a strict account's version does not have.
const RaiseVersion = "raise spec.apiVersion of the CarrierAccount, or set its spec.familyVersions to Least"

// Intent returns the request as it is recorded before it is sent.
func (want DesiredChange) Intent(in *Input) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: want.Operation, Attempt: attemptNumber(in, want), Repeats: queriesBefore(in, want),
		Target: want.Target, Before: want.Before,
		Login:      in.Account.Memory(),
		Generation: in.Subject.GetGeneration(), BodyHash: want.BodyHash(),
		Phase: v1alpha1.PhaseSubmitting, APIVersion: apiVersionOf(in.Account.Object, want.Operation),
	}
}
