// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Sums adds up the prices of requests, for each currency. A request with an unknown amount is left
// out, because the sum would otherwise look as if that amount were zero.
type Sums struct {
	Requests int `json:"requests"`       // POSTs that would be sent
	Priced   int `json:"pricedRequests"` // requests whose price is known, which the sums contain
	Unknown  int `json:"unknownPrices"`  // changes that may cost money and whose price is not known

	ByCurrency []decide.Price `json:"sums"`

	costs bool // whether a request costs money, or may cost money
}

// Add adds the changes of one object.
func (s *Sums) Add(changes []v1alpha1.Change) {
	for i := range changes {
		if isFirstOf(changes, i) {
			s.addRequest(v1alpha1.ChangesBy(changes, changes[i].Operation))
		}
	}
}

func isFirstOf(changes []v1alpha1.Change, at int) bool {
	return slices.IndexFunc(changes, func(other v1alpha1.Change) bool {
		return other.Operation == changes[at].Operation
	}) == at
}

func (s *Sums) addRequest(changes []v1alpha1.Change) {
	bill := decide.BillOf(changes)
	s.Requests++
	s.costs = s.costs || bill.Costs()
	price, known := bill.Price()
	if !known {
		s.Unknown += max(unknownPrices(changes), 1) // at least one: the fees may be in different currencies
		return
	}
	s.Priced++
	if price.Currency != "" {
		sum := s.in(price.Currency)
		*sum = sum.Plus(price)
	}
}

func unknownPrices(changes []v1alpha1.Change) int {
	count := 0
	for _, i := range decide.PricedRows(changes) {
		var bill decide.Bill
		bill.AddChange(changes[i])
		if _, known := bill.Price(); !known {
			count++
		}
	}
	return count
}

func (s *Sums) in(currency string) *decide.Price {
	at := slices.IndexFunc(s.ByCurrency, func(sum decide.Price) bool { return sum.Currency == currency })
	if at < 0 {
		at = len(s.ByCurrency)
		s.ByCurrency = append(s.ByCurrency, decide.Price{Currency: currency})
	}
	return &s.ByCurrency[at]
}

// Spends reports whether a request costs money, or may cost money, whatever another one saves.
func (s *Sums) Spends() bool { return s.costs }

// String describes the sums: one-time 0.00 AUD, monthly 45.00 AUD → 58.00 AUD (+13.00 AUD). If prices
// are unknown, it says how many requests the sums are of: … for 6 of 7 requests; 1 price unknown.
func (s *Sums) String() string {
	words := make([]string, 0, len(s.ByCurrency))
	for _, sum := range s.ByCurrency {
		words = append(words, fmt.Sprintf("one-time %s, monthly %s → %s (%s)", Money(sum.OneTime, sum.Currency),
			Money(sum.Before, sum.Currency), Money(sum.After, sum.Currency), Signed(sum.Rise(), sum.Currency)))
	}
	text := strings.Join(words, "; ")
	switch {
	case s.Unknown == 0:
		return cmp.Or(text, "nothing to pay")
	case s.Priced > 0:
		text = fmt.Sprintf("%s for %d of %s; ", cmp.Or(text, "nothing to pay"), s.Priced, Counted(s.Requests, "request"))
	}
	return text + Counted(s.Unknown, "price") + " unknown"
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
