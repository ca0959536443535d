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

	costs bool // whether a request costs money, or may cost money
}

// Sum is what changes cost in one currency, in hundredths of it.
type Sum struct {
	Currency      string `json:"currency"`
	OneTime       int64  `json:"oneTimeCents"` // with credits
	Charged       int64  `json:"-"`            // without credits
	MonthlyBefore int64  `json:"monthlyBeforeCents"`
	MonthlyAfter  int64  `json:"monthlyAfterCents"`
}

// Rise is by how much the monthly fees rise.
func (s Sum) Rise() int64 { return s.MonthlyAfter - s.MonthlyBefore }

// Add adds the changes of one object.
func (s *Sums) Add(changes []v1alpha1.Change) {
	for i := range changes {
		if isFirstOf(changes, i) {
			s.Requests++
			request := decide.BillOf(v1alpha1.ChangesBy(changes, changes[i].Operation))
			s.costs = s.costs || request.Costs()
		}
	}
	for _, i := range decide.PricedRows(changes) {
		s.addPrice(changes[i])
	}
}

// isFirstOf reports whether a change is the first that its request makes.
func isFirstOf(changes []v1alpha1.Change, at int) bool {
	return slices.IndexFunc(changes, func(other v1alpha1.Change) bool {
		return other.Operation == changes[at].Operation
	}) == at
}

// addPrice adds the price of one change, as the operator computes it.
func (s *Sums) addPrice(change v1alpha1.Change) {
	var bill decide.Bill
	bill.AddChange(change)
	if bill.Unknown {
		s.Unknown++
	}
	if bill.Currency == "" {
		return
	}
	sum := s.in(bill.Currency)
	sum.OneTime += bill.OneTime
	sum.Charged += bill.Charged
	sum.MonthlyBefore += bill.Before
	sum.MonthlyAfter += bill.After
}

// in returns the sum in a currency.
func (s *Sums) in(currency string) *Sum {
	at := slices.IndexFunc(s.ByCurrency, func(sum Sum) bool { return sum.Currency == currency })
	if at < 0 {
		at = len(s.ByCurrency)
		s.ByCurrency = append(s.ByCurrency, Sum{Currency: currency})
	}
	return &s.ByCurrency[at]
}

// Spends reports whether a request costs money, or may cost money. What another one saves does not
// change that.
func (s *Sums) Spends() bool { return s.costs }

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
