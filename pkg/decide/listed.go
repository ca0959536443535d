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

// NotFoundOrForbidden is the verdict on a service that the carrier does not show to the account,
// and on a service that is not on the account's list. The wording is the same, so that it does not
// reveal which of the two applies.
func NotFoundOrForbidden(operation v1alpha1.Operation, serviceID v1alpha1.CarrierID) Verdict {
	then := "the operator tries again every ten minutes"
	if ClassOf(operation, v1alpha1.RequestTarget{}) == carrier.ClassNever {
		then = "to try again, set the annotation " + v1alpha1.AnnotationRetry +
			" to the id of the attempt that failed or to the present time (RFC 3339), or create another object"
	}
	return Verdict{Stuck, v1alpha1.ReasonNotFoundOrForbidden, fmt.Sprintf(
		"the carrier does not let this account see service %s, or there is no such service: "+
			"check spec.serviceID and the account's permissions; %s", serviceID, then)}
}
