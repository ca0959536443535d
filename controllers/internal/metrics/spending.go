// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"regexp"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// spending counts the money that the carrier's acceptances commit, at the prices shown.
type spending struct {
	committed, unpriced *prometheus.CounterVec

	currencies *currencies
}

// The charges of a request. A counter cannot fall, so what a cheaper plan saves is counted
// separately.
const (
	chargeOneTime         = "one_time"
	chargeMonthlyIncrease = "monthly_increase"
	chargeMonthlyDecrease = "monthly_decrease"
)

func newSpending(r *registrar) spending {
	made := spending{
		committed: r.counter("broadband_committed_cost_total",
			"Money that accepted requests commit, at the prices shown, by charge and currency.", "charge", "currency"),
		unpriced: r.counter("broadband_unpriced_requests_total",
			"Accepted chargeable requests without a known price, by operation: they are missing from the committed cost.",
			labelOperation),
		currencies: &currencies{seen: map[string]bool{}},
	}
	for _, contract := range operations() {
		if isCostly(v1alpha1.Request{Operation: v1alpha1.Operation(contract)}) {
			made.unpriced.WithLabelValues(contract)
		}
	}
	made.startAtZero(made.currencies.label("AUD")) // the currency in the carrier's specification
	return made
}

func (s spending) startAtZero(currency string) {
	for _, charge := range []string{chargeOneTime, chargeMonthlyIncrease, chargeMonthlyDecrease} {
		s.committed.WithLabelValues(charge, currency)
	}
}

func isCostly(request v1alpha1.Request) bool {
	return decide.ClassOf(request.Operation, request.Target).Costly()
}

// commit counts the price of an accepted request. The fees are those of an order.
func (s spending) commit(request v1alpha1.Request, fees *v1alpha1.OrderFees) {
	price, known := priceOf(request.Changes(), fees)
	if !known && isCostly(request) {
		s.unpriced.WithLabelValues(string(request.Operation)).Inc()
	}
	if price.Currency == "" {
		return
	}
	currency := s.currencies.label(price.Currency)
	s.startAtZero(currency)
	s.add(chargeOneTime, currency, price.OneTime)
	s.add(chargeMonthlyIncrease, currency, price.Rise())
	s.add(chargeMonthlyDecrease, currency, -price.Rise())
}

// add adds hundredths of a currency. A credit is not subtracted, because a counter cannot fall.
func (s spending) add(charge, currency string, cents int64) {
	if cents > 0 {
		s.committed.WithLabelValues(charge, currency).Add(float64(cents) / 100)
	}
}

// priceOf returns the price of changes, or of an order, if it is known. For an order, the fees that
// the carrier reported count, not those of the qualification, which the rows of its plan show.
func priceOf(changes []v1alpha1.Change, fees *v1alpha1.OrderFees) (price decide.Price, known bool) {
	bill := decide.BillOf(changes)
	if fees != nil {
		bill = decide.Bill{}
		bill.AddOneTime(fees.OneTime)
		bill.AddMonthly(fees.Monthly)
	}
	price, known = bill.Price()
	return price, known && (fees != nil || len(decide.PricedRows(changes)) > 0)
}

// currencies limits the label to a few codes such as AUD, because the carrier writes them.
type currencies struct {
	mu   sync.Mutex
	seen map[string]bool
}

const (
	mostCurrencies = 8
	otherCurrency  = "other"
)

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

func (c *currencies) label(currency string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.seen[currency]:
		return currency
	case len(c.seen) >= mostCurrencies || !currencyCode.MatchString(currency):
		return otherCurrency
	}
	c.seen[currency] = true
	return currency
}
