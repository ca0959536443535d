// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Bill adds up the price of a request, in hundredths of the currency.
type Bill struct {
	OneTime       int64  // the sum of the one-time fees
	Before, After int64  // per month
	charges       bool   // whether a one-time fee is above zero; a credit does not offset it
	Unknown       bool   // an amount is unknown, or the currencies differ
	Currency      string // of the amounts so far
}

// AddOneTime adds a one-time fee: "Every single one-time fee above zero asks" (R8).
func (b *Bill) AddOneTime(amount *v1alpha1.Money) {
	var fee int64
	b.Add(&fee, amount)
	b.OneTime += fee
	b.charges = b.charges || fee > 0
}

// Add adds an amount: "different or missing currencies are unknown" (R8).
func (b *Bill) Add(sum *int64, amount *v1alpha1.Money) {
	cents, known := Cents(amount)
	if !known || amount.Currency == "" || b.Currency != "" && b.Currency != amount.Currency {
		b.Unknown = true
		return
	}
	*sum, b.Currency = *sum+cents, amount.Currency
}

// AddCharge adds the one-time and the monthly charge of an option.
func (b *Bill) AddCharge(charge *v1alpha1.Charge) {
	if charge != nil {
		b.AddOneTime(charge.OneTime)
		b.Add(&b.After, charge.Monthly)
	}
}

// Costs reports whether a request costs money, or may cost money.
func (b *Bill) Costs() bool { return b.Unknown || b.charges || b.After > b.Before }
