// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Bill adds up the price of a request, in hundredths of the currency.
type Bill struct {
	OneTime       int64  // the sum of the one-time fees and credits
	Charged       int64  // the sum of the one-time fees above zero; a credit does not offset them
	Before, After int64  // per month
	Unknown       bool   // an amount is unknown, or the currencies differ
	Commits       bool   // a term is longer than before, or the present term is unknown
	Currency      string // of the amounts so far
}

// AddOneTime adds a one-time fee: "Every single one-time fee above zero asks" (R8).
func (b *Bill) AddOneTime(amount *v1alpha1.Money) {
	var fee int64
	b.Add(&fee, amount)
	b.OneTime += fee
	b.Charged += max(fee, 0)
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

// AddChange adds the fees of one change. An amount that it does not have makes the price unknown.
func (b *Bill) AddChange(change v1alpha1.Change) {
	b.AddOneTime(change.OneTime)
	b.Add(&b.Before, change.MonthlyBefore)
	b.Add(&b.After, change.MonthlyAfter)
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
		b.Add(&b.After, charge.Monthly)
	}
}

// Costs reports whether a request costs money, or may cost money. A longer term costs money at an
// equal monthly fee, because each further month has to be paid.
func (b *Bill) Costs() bool { return b.Commits || !b.IsFree() }

// IsFree reports whether nothing has to be paid, and nothing more each month.
func (b *Bill) IsFree() bool { return !b.Unknown && b.Charged <= 0 && b.After <= b.Before }

// BillOf returns the price of changes.
func BillOf(changes []v1alpha1.Change) Bill {
	b := Bill{Commits: slices.ContainsFunc(changes, lengthensTerm)}
	for _, i := range PricedRows(changes) {
		b.AddChange(changes[i])
	}
	return b
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
