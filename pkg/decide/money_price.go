// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
// Unknown parts are named, because otherwise the known parts would look like the whole price.
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

// ownPrice describes the price of a change, excluding what is bought with it; nil if nothing of
// the price is known or it was not requested.
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

// Price is what requests cost, in hundredths of the currency.
type Price struct {
	Currency string `json:"currency"`
	OneTime  int64  `json:"oneTimeCents"` // the sum of the one-time fees and credits
	Charged  int64  `json:"-"`            // the sum of the one-time fees above zero; a credit does not offset them
	Before   int64  `json:"monthlyBeforeCents"`
	After    int64  `json:"monthlyAfterCents"`
}

// Rise is by how much the monthly fees rise.
func (p Price) Rise() int64 { return p.After - p.Before }

// Plus adds a price in the same currency.
func (p Price) Plus(other Price) Price {
	return Price{
		p.Currency, p.OneTime + other.OneTime, p.Charged + other.Charged, p.Before + other.Before, p.After + other.After,
	}
}

// Bill adds up the price of a request. One unknown amount makes the price unknown, because the
// sum of the other amounts would look like the price.
type Bill struct {
	price   Price
	unknown bool // an amount is unknown, or the currencies differ
	commits bool // a term is longer than before, or the present term is unknown
}

// Price returns the price, if all of its amounts are known.
func (b *Bill) Price() (price Price, known bool) {
	if b.unknown {
		return Price{}, false
	}
	return b.price, true
}

// AddOneTime adds a one-time fee. Credits do not offset it, because a single fee above zero needs
// an approval (R8).
func (b *Bill) AddOneTime(amount *v1alpha1.Money) {
	var fee int64
	b.add(&fee, amount)
	b.price.OneTime += fee
	b.price.Charged += max(fee, 0)
}

// AddMonthly adds a monthly fee after the request.
func (b *Bill) AddMonthly(amount *v1alpha1.Money) { b.add(&b.price.After, amount) }

// add adds an amount. The price is unknown if its currency is missing or differs (R8).
func (b *Bill) add(sum *int64, amount *v1alpha1.Money) {
	cents, known := Cents(amount)
	if !known || amount.Currency == "" || b.price.Currency != "" && b.price.Currency != amount.Currency {
		b.unknown = true
		return
	}
	*sum, b.price.Currency = *sum+cents, amount.Currency
}

// AddChange adds the fees of one change. A missing amount makes the price unknown.
func (b *Bill) AddChange(change v1alpha1.Change) {
	b.AddOneTime(change.OneTime)
	b.add(&b.price.Before, change.MonthlyBefore)
	b.AddMonthly(change.MonthlyAfter)
	b.AddCharge(change.NFAS)
	b.AddNTDOption(change.NTDOption)
}

// AddNTDOption adds the fees of an NTD; nil if none is bought.
func (b *Bill) AddNTDOption(option *v1alpha1.NTDOptionCharge) {
	if option != nil {
		b.AddCharge(&option.Charge)
	}
}

// AddCharge adds a one-time and a monthly fee; nil if there is none.
func (b *Bill) AddCharge(charge *v1alpha1.Charge) {
	if charge != nil {
		b.AddOneTime(charge.OneTime)
		b.AddMonthly(charge.Monthly)
	}
}

// Costs reports whether a request costs money, or may cost money. A longer term costs money at an
// equal monthly fee, because each further month has to be paid.
func (b *Bill) Costs() bool { return b.commits || !b.IsFree() }

// IsFree reports whether it is known that nothing has to be paid, and nothing more each month.
func (b *Bill) IsFree() bool { return !b.unknown && b.price.Charged <= 0 && b.price.Rise() <= 0 }

// BillOf returns the price of changes.
func BillOf(changes []v1alpha1.Change) Bill {
	b := Bill{commits: slices.ContainsFunc(changes, lengthensTerm)}
	for _, i := range PricedRows(changes) {
		b.AddChange(changes[i])
	}
	return b
}

// PriceOf returns the price of changes; nil if it is not known.
func PriceOf(changes []v1alpha1.Change) *Price {
	bill := BillOf(changes)
	if price, known := bill.Price(); known {
		return &price
	}
	return nil
}

// lengthensTerm reports whether a change sets a term that is longer, or that may be longer
// because the present term is unknown.
func lengthensTerm(change v1alpha1.Change) bool {
	if change.Field != FieldTerm {
		return false
	}
	from, fromErr := strconv.Atoi(change.From)
	to, toErr := strconv.Atoi(change.To)
	return fromErr != nil || toErr != nil || to > from
}

// PricedRows returns the indexes of the changes that have a price. Changes that one request sells
// together, such as a plan and its term, have one price, which belongs to the first of them.
func PricedRows(changes []v1alpha1.Change) []int {
	var rows []int
	for i, change := range changes {
		isFirst := !slices.ContainsFunc(changes[:i], func(earlier v1alpha1.Change) bool {
			return areSoldTogether(earlier, change)
		})
		if isFirst && hasPrice(change.Operation) && change.Field != FieldContact {
			rows = append(rows, i)
		}
	}
	return rows
}

// areSoldTogether reports whether two changes have one price. The SLA has a price of its own, except
// in an order.
func areSoldTogether(a, b v1alpha1.Change) bool {
	return a.Operation == b.Operation &&
		(a.Operation == v1alpha1.OperationOrderCreate || (a.Field == FieldSLA) == (b.Field == FieldSLA))
}

// hasPrice reports whether the carrier charges for an operation. Changes of a DSL profile or of a
// cancellation, for example, are free.
func hasPrice(operation v1alpha1.Operation) bool {
	switch operation {
	case v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.OperationCancellationReschedule,
		v1alpha1.OperationCancellationAbort, v1alpha1.OperationHealth, v1alpha1.OperationPlanOptions,
		v1alpha1.OperationAppointmentSlots, v1alpha1.OperationAppointmentCancel, v1alpha1.OperationFibreBuildCharge:
		return false
	case v1alpha1.OperationPlanChange, v1alpha1.OperationAggregationConversion, v1alpha1.OperationReclaim,
		v1alpha1.OperationOrderCreate, v1alpha1.OperationDiagnosticTest:
	}
	return true
}
