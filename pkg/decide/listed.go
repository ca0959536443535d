// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Listed reports whether an account may access a service: serviceIDs are "when set, the only
// services this account may touch".
func Listed(account *v1alpha1.CarrierAccount, serviceID v1alpha1.CarrierID) bool {
	return account == nil || len(account.Spec.ServiceIDs) == 0 || slices.Contains(account.Spec.ServiceIDs, serviceID)
}

// unseen is the verdict both on a service that the carrier does not show to the account and on one
// that is not on the account's list. The wording is the same, so that it does not reveal which it
// is.
func unseen(operation v1alpha1.Operation, serviceID v1alpha1.CarrierID) Verdict {
	then := "it is tried again every ten minutes"
	if ClassOf(operation, v1alpha1.RequestTarget{}) == carrier.ClassNever {
		then = "to try again set the annotation " + v1alpha1.AnnotationRetry +
			" to the id of the attempt that failed or to the present time (RFC 3339), or create another object"
	}
	return Verdict{Stuck, v1alpha1.ReasonNotFoundOrForbidden, fmt.Sprintf(
		"the carrier does not let this account see service %s, or there is no such service: "+
			"check spec.serviceID and the account's permissions; %s", serviceID, then)}
}

// unseenService is unseen for a managed service, which is read before anything is sent.
func unseenService(in *ServiceInput) Verdict {
	return unseen(v1alpha1.OperationHealth, in.Service.ServiceNumber())
}

// onlyFollowed handles a service that was removed from the account's list: a request at the carrier
// is tracked until it ends, and no other call is made.
func onlyFollowed(in *ServiceInput) *Decision {
	if Listed(in.Account.Object, in.Service.ServiceNumber()) {
		return nil
	}
	refusal := unseenService(in)
	followed := beside(orRefused(openModification(in), refusal), orRefused(openCancellation(in), refusal))
	if followed == nil {
		return &Decision{Step: Rest{}, Verdict: refusal}
	}
	return followed
}

// orRefused replaces any call that does not track the open request with a refusal.
func orRefused(decision *Decision, refusal Verdict) *Decision {
	if decision == nil {
		return nil
	}
	switch decision.Step.(type) {
	case Ask, Collect, Submit, SubmitQuery, Probe:
		return &Decision{Step: Rest{}, Verdict: refusal, LookAt: decision.LookAt}
	case Rest, Follow, RecordAnswer, Resolve:
	}
	return decision
}
