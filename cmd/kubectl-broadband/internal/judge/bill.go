// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Sums adds up the prices of changes, for each currency.
type Sums struct {
	Requests int `json:"requests"`      // POSTs that would be sent
	Unknown  int `json:"unknownPrices"` // changes that may cost money and whose price is not known

	ByCurrency []Sum `json:"sums"`
}

// Sum is what changes cost in one currency, in hundredths of it.
type Sum struct {
	Currency      string `json:"currency"`
	OneTime       int64  `json:"oneTimeCents"`
	MonthlyBefore int64  `json:"monthlyBeforeCents"`
	MonthlyAfter  int64  `json:"monthlyAfterCents"`
}

// Rise is by how much the monthly fees rise.
func (s Sum) Rise() int64 { return s.MonthlyAfter - s.MonthlyBefore }

// Add adds the changes of one object.
func (s *Sums) Add(changes []v1alpha1.Change) {
	for i, change := range changes {
		if isFirstOf(changes, i) {
			s.Requests++
		}
		if CarriesPrice(changes, i) {
			s.addPrice(change)
		}
	}
}

// isFirstOf reports whether a change is the first that its request makes.
func isFirstOf(changes []v1alpha1.Change, at int) bool {
	return slices.IndexFunc(changes, func(other v1alpha1.Change) bool {
		return other.Operation == changes[at].Operation
	}) == at
}

// addPrice adds the price of one change. A missing amount makes the price unknown.
func (s *Sums) addPrice(change v1alpha1.Change) {
	known := s.add(change.OneTime, func(sum *Sum, cents int64) { sum.OneTime += cents })
	known = s.add(change.MonthlyAfter, func(sum *Sum, cents int64) { sum.MonthlyAfter += cents }) && known
	before := s.add(change.MonthlyBefore, func(sum *Sum, cents int64) { sum.MonthlyBefore += cents })
	known = known && (before || change.Operation == v1alpha1.OperationOrderCreate) // before an order there is no fee
	for _, charge := range []*v1alpha1.Charge{change.NFAS, change.NTDOption} {
		if charge != nil {
			known = s.add(charge.OneTime, func(sum *Sum, cents int64) { sum.OneTime += cents }) && known
			s.add(charge.Monthly, func(sum *Sum, cents int64) { sum.MonthlyAfter += cents })
		}
	}
	if !known {
		s.Unknown++
	}
}

func (s *Sums) add(amount *v1alpha1.Money, to func(*Sum, int64)) bool {
	cents, known := decide.Cents(amount)
	if !known || amount.Currency == "" {
		return false
	}
	at := slices.IndexFunc(s.ByCurrency, func(sum Sum) bool { return sum.Currency == amount.Currency })
	if at < 0 {
		at = len(s.ByCurrency)
		s.ByCurrency = append(s.ByCurrency, Sum{Currency: amount.Currency})
	}
	to(&s.ByCurrency[at], cents)
	return true
}

// CarriesPrice reports whether the change at an index has a price. Changes of a DSL profile or of a
// cancellation, for example, have none. What one request sells together, such as a plan and its
// term, has one price, which belongs to the first of its changes.
func CarriesPrice(changes []v1alpha1.Change, at int) bool {
	change := changes[at]
	switch change.Operation {
	case v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.OperationCancellationReschedule,
		v1alpha1.OperationCancellationAbort, v1alpha1.OperationHealth, v1alpha1.OperationPlanOptions,
		v1alpha1.OperationAppointmentSlots, v1alpha1.OperationAppointmentCancel, v1alpha1.OperationFibreBuildCharge:
		return false
	case v1alpha1.OperationPlanChange, v1alpha1.OperationAggregationConversion, v1alpha1.OperationReclaim,
		v1alpha1.OperationOrderCreate, v1alpha1.OperationDiagnosticTest:
	}
	soldTogether := func(other v1alpha1.Change) bool {
		return other.Operation == change.Operation && (other.Field == decide.FieldSLA) == (change.Field == decide.FieldSLA)
	}
	isOrder := change.Operation == v1alpha1.OperationOrderCreate
	return slices.IndexFunc(changes, func(other v1alpha1.Change) bool {
		return soldTogether(other) || isOrder && other.Operation == change.Operation
	}) == at
}

// Spends reports whether the changes cost money, or may cost money.
func (s *Sums) Spends() bool {
	costs := func(sum Sum) bool { return sum.OneTime > 0 || sum.Rise() > 0 }
	return s.Unknown > 0 || slices.ContainsFunc(s.ByCurrency, costs)
}

// String describes the sums: one-time 0.00 AUD, monthly 45.00 AUD → 58.00 AUD (+13.00 AUD).
func (s *Sums) String() string {
	var words []string
	for _, sum := range s.ByCurrency {
		words = append(words, fmt.Sprintf("one-time %s, monthly %s → %s (%s)", Money(sum.OneTime, sum.Currency),
			Money(sum.MonthlyBefore, sum.Currency), Money(sum.MonthlyAfter, sum.Currency), Signed(sum.Rise(), sum.Currency)))
	}
	if s.Unknown > 0 {
		words = append(words, Counted(s.Unknown, "price")+" unknown")
	}
	if len(words) == 0 {
		return "nothing to pay"
	}
	return strings.Join(words, "; ")
}

// Money writes an amount in hundredths: 12.34 AUD.
func Money(cents int64, currency string) string {
	if amount := decide.MoneyOfCents(cents, currency); amount != nil {
		return amount.String()
	}
	return "unknown"
}

// Signed is Money with a sign.
func Signed(cents int64, currency string) string {
	if cents >= 0 {
		return "+" + Money(cents, currency)
	}
	return Money(cents, currency)
}

// Counted writes a number of things: 1 change, 2 changes.
func Counted(number int, thing string) string {
	if number != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", number, thing)
}
