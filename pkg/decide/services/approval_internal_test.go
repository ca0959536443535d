// SPDX-License-Identifier: Apache-2.0

package services

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func aud(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }

// changeFor is a plan change at a price.
func changeFor(change v1alpha1.Change) decide.DesiredChange {
	change.Operation, change.Field = v1alpha1.OperationPlanChange, "plan.name"
	return decide.DesiredChange{Operation: v1alpha1.OperationPlanChange, Changes: []v1alpha1.Change{change}}
}

func TestR8AChangeThatMayCostMoneyNeedsApproval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change v1alpha1.Change
		asks   bool
	}{
		"nothing once, and less a month": {
			v1alpha1.Change{OneTime: aud("0.00"), MonthlyBefore: aud("60.00"), MonthlyAfter: aud("59.00")}, false,
		},
		"more a month": {
			v1alpha1.Change{OneTime: aud("0.00"), MonthlyBefore: aud("60.00"), MonthlyAfter: aud("60.01")}, true,
		},
		"a credit beside a fee": {
			v1alpha1.Change{
				OneTime: aud("-100.00"), MonthlyBefore: aud("60.00"), MonthlyAfter: aud("59.00"),
				NFAS: &v1alpha1.Charge{OneTime: aud("100.00"), Monthly: aud("0.00")},
			}, true,
		},
		"fewer of another currency": {
			v1alpha1.Change{
				OneTime: aud("0.00"), MonthlyBefore: aud("60.00"),
				MonthlyAfter: &v1alpha1.Money{Amount: "59.00", Currency: "USD"},
			}, true,
		},
		"an amount without a currency": {
			v1alpha1.Change{
				OneTime: aud("0.00"), MonthlyBefore: aud("60.00"), MonthlyAfter: &v1alpha1.Money{Amount: "59.00"},
			}, true,
		},
		"an amount that is not known": {v1alpha1.Change{OneTime: aud("0.00"), MonthlyAfter: aud("1.00")}, true},
	} {
		if got := costsMoney(changeFor(test.change)); got != test.asks {
			t.Errorf("%s: asks %t", name, got)
		}
	}
}
