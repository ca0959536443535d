// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func TestARejectedRequestHasAReason(t *testing.T) {
	t.Parallel()
	const invalid, other = v1alpha1.ReasonRequestInvalid, v1alpha1.ReasonCarrierRejected
	for _, row := range []struct {
		status int32
		code   string
		reason string
	}{
		{400, "", invalid},
		{403, "", v1alpha1.ReasonNotFoundOrForbidden},
		{404, "", v1alpha1.ReasonNotFoundOrForbidden},
		{405, "", invalid},
		{406, "", invalid},
		{409, "", other},
		{413, "", invalid},
		{414, "", invalid},
		{415, "", invalid},
		{416, "", other},
		{422, "", other},
		{422, string(carrier.SubPlanNameInvalid), v1alpha1.ReasonPlanNameInvalid},
		{422, "constraints.other.request.in.progress", v1alpha1.ReasonChangeInProgress},
		{422, "constraints.service-diagnostic-test-request.in-progress", v1alpha1.ReasonChangeInProgress},
	} {
		if got := ReasonOf(&v1alpha1.RequestError{HTTPStatus: row.status, Code: row.code}); got != row.reason {
			t.Errorf("%d %s: %s, want %s", row.status, row.code, got, row.reason)
		}
	}
	if got := ReasonOf(nil); got != other {
		t.Errorf("without an error: %s", got)
	}
}
