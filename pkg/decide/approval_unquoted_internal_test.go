// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// An unknown price needs an approval (R8), and the message must not show a part of the price as if it
// were all of it.
func TestR8AnUnknownPriceIsNotShownAsThatOfAnOption(t *testing.T) {
	t.Parallel()
	const plan, option = v1alpha1.OperationPlanChange, "4_PORT"
	money := &v1alpha1.Money{Amount: "99.00", Currency: "AUD"}
	priced := &v1alpha1.NTDOptionCharge{Option: option, Charge: v1alpha1.Charge{OneTime: money, Monthly: money}}
	for name, row := range map[string]struct {
		changes []v1alpha1.Change
		note    string
	}{
		"a price": {[]v1alpha1.Change{{Operation: plan, Field: FieldPlan, OneTime: money, MonthlyAfter: money}}, ""},
		"no price": {
			[]v1alpha1.Change{{Operation: plan, Field: FieldPlan}, {Operation: plan, Field: FieldTerm}},
			"; the carrier quotes no price",
		},
		"only the price of an option": {
			[]v1alpha1.Change{{Operation: plan, Field: FieldPlan, NTDOption: priced}},
			"; the carrier quotes no price for plan.name",
		},
		"only the price of the SLA": {
			[]v1alpha1.Change{{Operation: plan, Field: FieldPlan}, {Operation: plan, Field: FieldSLA, OneTime: money}},
			"; the carrier quotes no price for plan.name",
		},
		"a request that is free": {
			[]v1alpha1.Change{{Operation: v1alpha1.OperationCancellationAbort, Field: "cancellation"}},
			"; the carrier does not charge for it",
		},
	} {
		if note := unquoted(row.changes); note != row.note {
			t.Errorf("%s: %q, want %q", name, note, row.note)
		}
	}
}
