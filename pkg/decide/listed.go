// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Listed says whether an account may touch a service: serviceIDs "when set, the only
// services this account may touch".
func Listed(account *v1alpha1.CarrierAccount, serviceID v1alpha1.CarrierID) bool {
	return account == nil || len(account.Spec.ServiceIDs) == 0 || slices.Contains(account.Spec.ServiceIDs, serviceID)
}

// unseen speaks of a service that the carrier does not let the account see, and of one that
// the account's list lacks: in the same words, so that neither is an oracle of the other.
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

// unseenService is unseen of a service that is managed: it is read before anything is sent.
func unseenService(in *ServiceInput) Verdict {
	return unseen(v1alpha1.OperationHealth, in.Service.ServiceNumber())
}

// onlyFollowed is for a service that was taken off the account's list: what is with the
// carrier is followed to its end, and nothing else is asked or sent.
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

// orRefused puts a refusal in the place of a call that is no look at what is under way.
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
