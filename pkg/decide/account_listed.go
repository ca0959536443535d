// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Listed reports whether an account may access a service: serviceIDs, if set, limits it to those.
func Listed(account *v1alpha1.CarrierAccount, serviceID v1alpha1.CarrierID) bool {
	return account == nil || len(account.Spec.ServiceIDs) == 0 || slices.Contains(account.Spec.ServiceIDs, serviceID)
}

// NotFoundOrForbidden is the verdict on a service that the carrier does not show to the account,
// and on a service that is not on the account's list. The wording is the same, so that it does not
// reveal which of the two applies.
func NotFoundOrForbidden(serviceID v1alpha1.CarrierID) Verdict {
	return notFoundOrForbidden(serviceID, "the operator tries again automatically")
}

// RefusedAsNotFound is the verdict on an attempt that the carrier refused for such a service. An
// attempt that must not be repeated is made again only by a person.
func RefusedAsNotFound(in *Input, refused *v1alpha1.Request, serviceID v1alpha1.CarrierID) Verdict {
	if ClassOf(refused.Operation, refused.Target) != carrier.ClassNever {
		return NotFoundOrForbidden(serviceID)
	}
	return notFoundOrForbidden(serviceID, "to try again, run: "+RetryHint(in, refused))
}

func notFoundOrForbidden(serviceID v1alpha1.CarrierID, then string) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonNotFoundOrForbidden, fmt.Sprintf(
		"the carrier does not let this account see service %s, or there is no such service: "+
			"check the service number and the account's permissions; %s", serviceID, then)}
}
