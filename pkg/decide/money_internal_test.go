// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func aud(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }

// changeFor is a plan change at a price.
func changeFor(change v1alpha1.Change) desiredChange {
	change.Operation, change.Field = v1alpha1.OperationPlanChange, "plan.name"
	return desiredChange{operation: v1alpha1.OperationPlanChange, changes: []v1alpha1.Change{change}}
}

func TestR8WhatCostsOrMayCostAsks(t *testing.T) {
	t.Parallel()
	for story, test := range map[string]struct {
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
			t.Errorf("%s: asks %t", story, got)
		}
	}
}

// A user who may write the object finds two plans with the same 64-bit hash within minutes.
func TestR8WhatPeopleApproveHas128Bits(t *testing.T) {
	t.Parallel()
	if hash := approvalHash([]byte("facts")); len(hash) != len("p")+128/4 {
		t.Errorf("%q", hash)
	}
}

func TestR8AnApprovalOfAnOrderIsForItsGeneration(t *testing.T) {
	t.Parallel()
	in := OrderInput{Order: &v1alpha1.ServiceOrder{}}
	in.Order.Spec.CustomerReference, in.Order.Spec.PlanName, in.Order.Spec.Term = "order-1", "Home 100/20", 12
	in.Subject = in.Order
	first := orderPending(&in)
	in.Order.Generation++
	if orderPending(&in).Hash == first.Hash {
		t.Error("an approval fits another generation")
	}
	if !slices.ContainsFunc(first.Changes, func(c v1alpha1.Change) bool {
		return c.Field == "planName" && c.To == "Home 100/20"
	}) {
		t.Errorf("what is approved does not say what is bought: %v", first.Changes)
	}
}

func TestR9TheStricterApprovalCounts(t *testing.T) {
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
		if got := policyOf(&Input{Account: Account{Object: account}}, test.own); got != test.counts {
			t.Errorf("account %q, object %q: %s counts", test.account, test.own, got)
		}
	}
}

// A status has room for 20 characters: the API server would refuse the whole status if an amount
// were longer.
func TestR18AnAmountThatNoStatusHoldsIsNotKnown(t *testing.T) {
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
	if sum := moneyFrom(-most, "AUD"); sum != nil {
		t.Errorf("a sum of fees is %v", sum)
	}
}
