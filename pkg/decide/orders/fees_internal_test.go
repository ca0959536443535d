// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A fee that was shown in one currency, and is charged in another, is another fee.
func TestAFeeInAnotherCurrencyIsAnotherFee(t *testing.T) {
	t.Parallel()
	money := func(amount, currency string) *v1alpha1.Money {
		return &v1alpha1.Money{Amount: amount, Currency: currency}
	}
	for name, test := range map[string]struct {
		shown, charged *v1alpha1.Money
		same           bool
	}{
		"as shown":              {money("200.00", "AUD"), money("200.00", "AUD"), true},
		"another amount":        {money("200.00", "AUD"), money("250.00", "AUD"), false},
		"another currency":      {money("200.00", "AUD"), money("200.00", "USD"), false},
		"no currency":           {money("200.00", "AUD"), money("200.00", ""), false},
		"nothing":               {money("200.00", "AUD"), nil, false},
		"nothing for nothing":   {money("0.00", "AUD"), nil, true},
		"nothing, and no price": {nil, nil, true},
	} {
		if got := isSameAmount(test.shown, test.charged); got != test.same {
			t.Errorf("%s: the same %t, want %t", name, got, test.same)
		}
	}
}
