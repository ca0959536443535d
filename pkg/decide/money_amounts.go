// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Cents returns an amount in hundredths of its currency, if it is known.
func Cents(amount *v1alpha1.Money) (cents int64, known bool) {
	if amount == nil {
		return 0, false
	}
	return (&carrier.Money{Amount: carrier.Number(amount.Amount)}).Cents()
}

// ChargeOf returns a fee as a status shows it. An amount that is unknown is nil.
func ChargeOf(fee *carrier.Fee) v1alpha1.Charge {
	if fee == nil {
		return v1alpha1.Charge{}
	}
	return v1alpha1.Charge{OneTime: moneyOf(fee.OneTimeCharge), Monthly: moneyOf(fee.MonthlyRecurringCharge)}
}

// moneyOf returns an amount as a status shows it. An amount that is not a plain decimal number is
// unknown, which is not zero.
func moneyOf(amount *carrier.Money) *v1alpha1.Money {
	cents, ok := amount.Cents()
	if !ok {
		return nil
	}
	return MoneyOfCents(cents, Bounded(amount.Currency, 8))
}

// MoneyOfCents converts hundredths to an amount; nil, meaning unknown, if it has too many digits
// for a status.
func MoneyOfCents(cents int64, currency string) *v1alpha1.Money {
	const longest = 20
	sign, whole := "", cents
	if cents < 0 {
		sign, whole = "-", -cents
	}
	amount := fmt.Sprintf("%s%d.%02d", sign, whole/100, whole%100)
	if len(amount) > longest {
		return nil
	}
	return &v1alpha1.Money{Amount: amount, Currency: currency}
}

// priceText describes the price of a change; "" if nothing of it is known or it was not requested.
// What is not known of a price is named, because the rest would read as if it were the price.
func priceText(c v1alpha1.Change) string {
	words := ownPrice(c)
	if c.NFAS != nil {
		words = append(words, chargeText("NFAS", *c.NFAS))
	}
	if bought := c.NTDOption; bought != nil && (len(words) > 0 || bought.Charge != (v1alpha1.Charge{})) {
		what := "NTD option"
		if bought.Option == "" {
			what = "additional NTD"
		}
		words = append(words, chargeText(what, bought.Charge))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// ownPrice describes the price of a change without what is bought with it; nil if nothing of it is
// known or it was not requested.
func ownPrice(c v1alpha1.Change) []string {
	monthlyUnknown := c.MonthlyBefore == nil && c.MonthlyAfter == nil
	switch {
	case monthlyUnknown && c.OneTime == nil:
		return nil
	case monthlyUnknown:
		return []string{"one-time " + c.OneTime.String(), "monthly unknown"}
	}
	return []string{
		"one-time " + orUnknown(c.OneTime), "monthly " + orUnknown(c.MonthlyBefore) + " → " + orUnknown(c.MonthlyAfter),
	}
}

func chargeText(what string, charge v1alpha1.Charge) string {
	if charge == (v1alpha1.Charge{}) {
		return what + " price unknown"
	}
	return fmt.Sprintf("%s one-time %s, %[1]s monthly %[3]s", what, orUnknown(charge.OneTime), orUnknown(charge.Monthly))
}

// FeeAmounts describes what a fee costs.
func FeeAmounts(oneTime, monthly *v1alpha1.Money) string {
	var words []string
	if oneTime != nil {
		words = append(words, "one-time "+oneTime.String())
	}
	if monthly != nil {
		words = append(words, "monthly "+monthly.String())
	}
	return "(" + cmp.Or(strings.Join(words, ", "), "unknown") + ")"
}

func orUnknown(amount *v1alpha1.Money) string { return AmountOr(amount, "unknown") }

// AmountOr describes an amount, or a missing one in the given words.
func AmountOr(amount *v1alpha1.Money, missing string) string {
	if amount == nil {
		return missing
	}
	return amount.String()
}
