// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Each call has a version of its own (spec §9), up to what the account allows.
func TestAnOperationIsCalledAtTheLeastVersionThatHasItUnlessTheAccountIsStrict(t *testing.T) {
	t.Parallel()
	const least, strict = v1alpha1.FamilyVersionsLeast, v1alpha1.FamilyVersionsStrict
	for _, row := range []struct {
		families  v1alpha1.FamilyVersions
		account   int32
		operation carrier.Operation
		want      int
	}{
		{least, 3, carrier.Health, 5},
		{least, 3, carrier.AggregationConversion, 4},
		{least, 3, carrier.FibreBuildCharge, 6},
		{least, 3, carrier.PlanChange, 3},
		{least, 7, carrier.Health, 7},
		{least, 3, "", 3},
		{strict, 3, carrier.Health, 3},
		{strict, 3, carrier.AggregationConversion, 3},
	} {
		account := &v1alpha1.CarrierAccount{}
		account.Spec.APIVersion, account.Spec.FamilyVersions = row.account, row.families
		if got := decide.CallVersion(account, row.operation); got != row.want {
			t.Errorf("%s at %d, %s: version %d, want %d", row.operation, row.account, row.families, got, row.want)
		}
	}
}
