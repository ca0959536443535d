// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// checkHosts returns an error if an account names a host that the manager does not allow. It checks
// every address that is called for an account: a redirect is never followed, and only the id is
// taken from a Location. The audience of an assertion is not called.
func checkHosts(allowed carrier.Hosts, spec *v1alpha1.CarrierAccountSpec) error {
	for _, called := range []struct{ field, address string }{
		{"baseURL", spec.BaseURL}, {"auth.tokenURL", spec.Auth.TokenURL},
	} {
		if !allowed.Allow(called.address) {
			return &FieldError{Field: called.field, Message: fmt.Sprintf(
				"the host %q is not among those that the manager allows: use an allowed host, or ask the administrator "+
					"of the operator to add it to the manager's flag --carrier-hosts", carrier.HostOf(called.address))}
		}
	}
	return nil
}
