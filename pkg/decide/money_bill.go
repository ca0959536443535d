// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

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

// Bill adds up the price of a request. The price of a request with an unknown amount is unknown:
// without that amount, the sum of the others would read as if it were the price.
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

// AddOneTime adds a one-time fee. A credit does not offset it, because a single fee above zero
// needs an approval (R8).
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

// AddChange adds the fees of one change. An amount that it does not have makes the price unknown.
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

// IsFree reports whether nothing has to be paid, and nothing more each month.
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

// lengthensTerm reports whether a change sets a longer term, or one of which nobody knows whether it
// is longer.
func lengthensTerm(change v1alpha1.Change) bool {
	if change.Field != FieldTerm {
		return false
	}
	from, fromErr := strconv.Atoi(change.From)
	to, toErr := strconv.Atoi(change.To)
	return fromErr != nil || toErr != nil || to > from
}

// PricedRows returns the indexes of the changes that have a price. What one request sells together,
// such as a plan and its term, has one price, which belongs to the first of its changes.
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
