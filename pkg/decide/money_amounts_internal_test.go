// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// A user who may write the object finds two plans with the same 64-bit hash within minutes.
func TestR8AnApprovalHashHas128Bits(t *testing.T) {
	t.Parallel()
	if hash := ApprovalHash([]any{"facts"}); len(hash) != len("p")+128/4 {
		t.Errorf("%q", hash)
	}
}

func TestR9TheStricterApprovalPolicyApplies(t *testing.T) {
	t.Parallel()
	const automatic, onCost, always = v1alpha1.ApprovalAutomatic, v1alpha1.ApprovalOnCost, v1alpha1.ApprovalAlways
	for _, test := range []struct{ account, own, counts v1alpha1.Approval }{
		{automatic, "", automatic},
		{automatic, automatic, automatic},
		{automatic, onCost, onCost},
		{automatic, always, always},
		{onCost, "", onCost},
		{onCost, automatic, onCost},
		{onCost, always, always},
		{always, "", always},
		{always, automatic, always},
		{always, onCost, always},
		{"", "", onCost}, // the default of the schema
		{"", automatic, onCost},
	} {
		account := &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{Approval: test.account}}
		if got := ApprovalPolicy(&Input{Account: Account{Object: account}}, test.own); got != test.counts {
			t.Errorf("account %q, object %q: %s counts", test.account, test.own, got)
		}
	}
}

// A status has room for 20 characters: the API server would refuse the whole status if an amount
// were longer.
func TestR18AnAmountTooLongForAStatusIsUnknown(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]string{
		"12.3":                   "12.30",
		"12345678901234567.89":   "12345678901234567.89",
		"-1234567890123456.78":   "-1234567890123456.78",
		"-12345678901234567.89":  "",
		"-92233720368547758.08":  "", // the smallest 64-bit number
		"123456789012345678.901": "",
	} {
		got := moneyOf(&carrier.Money{Amount: carrier.Number(amount), Currency: "AUD"})
		if got == nil && want != "" || got != nil && got.Amount != want {
			t.Errorf("%s: %v", amount, got)
		}
	}
	const most = 9_000_000_000_000_000_000
	if sum := MoneyOfCents(-most, "AUD"); sum != nil {
		t.Errorf("a sum of fees is %v", sum)
	}
}
