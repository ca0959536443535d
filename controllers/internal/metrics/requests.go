// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"regexp"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Requests counts what becomes of requests. A nil *Requests counts nothing.
type Requests struct {
	outcomes, late, unrecorded *prometheus.CounterVec
	held                       *prometheus.GaugeVec
	duration, polls, noticed   *prometheus.HistogramVec

	spending spending
}

// outcomeAccepted is an outcome that is not a phase.
const outcomeAccepted = "Accepted"

func newRequests(r *registrar) *Requests {
	made := &Requests{
		outcomes: r.counter("broadband_request_outcomes_total",
			"Requests that reached an outcome, by operation. One request may reach several: Accepted, then Succeeded.",
			labelOperation, labelOutcome),
		late: r.counter("broadband_late_acceptances_total",
			"Requests that the carrier accepted after another outcome was recorded, by operation.", labelOperation),
		unrecorded: r.counter("broadband_unrecorded_responses_total",
			"Carrier responses that could not be written to a RequestLedger within a minute, by operation.", labelOperation),
		held: r.gauge("broadband_responses_not_recorded",
			"Carrier responses that are only in the memory of this process, by operation: do not restart it.", labelOperation),
		duration: r.histogram("broadband_request_duration_seconds",
			"Time from sending a request to the end that the carrier reported, by operation.",
			[]float64{1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600}, labelOperation),
		polls: r.histogram("broadband_request_polls",
			"Polls until the end of a request was seen, by operation.",
			[]float64{1, 2, 3, 5, 8, 13, 21, 50, 100, 500}, labelOperation),
		noticed: r.histogram("broadband_request_end_noticed_seconds",
			"How late the end of a request was seen: by=poll at most, by=notification since the notification.",
			[]float64{.1, .5, 1, 2, 5, 10, 30, 60, 300, 900}, "by"),
		spending: newSpending(r),
	}
	made.startAtZero()
	return made
}

func (m *Requests) startAtZero() {
	for _, operation := range operations() {
		for _, outcome := range outcomes() {
			m.outcomes.WithLabelValues(operation, outcome)
		}
		m.late.WithLabelValues(operation)
		m.unrecorded.WithLabelValues(operation)
		m.held.WithLabelValues(operation)
		m.duration.WithLabelValues(operation)
		m.polls.WithLabelValues(operation)
	}
	for _, by := range []string{noticedByPoll, noticedByNotification} {
		m.noticed.WithLabelValues(by)
	}
}

// outcomes returns what may become of a request.
func outcomes() []string {
	return []string{
		outcomeAccepted, responseLost, string(v1alpha1.PhaseOutcomeUnknown),
		string(v1alpha1.PhaseSucceeded), string(v1alpha1.PhaseFailed), string(v1alpha1.PhaseRejected),
		string(v1alpha1.PhaseNotSent), string(v1alpha1.PhaseNotProcessed), string(v1alpha1.PhaseNotAccepted),
		string(v1alpha1.PhaseAbandoned), string(v1alpha1.PhaseRepeated),
	}
}

// Late counts a late acceptance. Its price is not known, because the acceptance says nothing about
// the plan of changes.
func (m *Requests) Late(operation carrier.Operation) {
	if m != nil {
		m.late.WithLabelValues(string(operation)).Inc()
		m.spending.commit(v1alpha1.Request{Operation: v1alpha1.Operation(operation)}, nil)
	}
}

// Unrecorded counts a response that could not be recorded, and that this process keeps.
func (m *Requests) Unrecorded(operation v1alpha1.Operation) {
	if m != nil {
		m.unrecorded.WithLabelValues(string(operation)).Inc()
		m.held.WithLabelValues(string(operation)).Inc()
	}
}

// Released counts a kept response that is recorded now.
func (m *Requests) Released(operation v1alpha1.Operation) {
	if m != nil {
		m.held.WithLabelValues(string(operation)).Dec()
	}
}

// Posted counts a response that was lost, and the earlier attempt that a repeat ends. Other
// responses are counted when they are recorded.
func (m *Requests) Posted(request v1alpha1.Request, delivery carrier.Delivery) {
	if m == nil {
		return
	}
	if request.Repeats > 0 {
		m.outcomes.WithLabelValues(string(request.Operation), string(v1alpha1.PhaseRepeated)).Inc()
	}
	if delivery == carrier.Ambiguous {
		m.outcomes.WithLabelValues(string(request.Operation), responseLost).Inc()
	}
}

// Recorded counts the change of a request from a phase to its present one, once it is recorded. The
// fees are those of an order; nil for other requests.
func (m *Requests) Recorded(was v1alpha1.RequestPhase, request v1alpha1.Request, fees *v1alpha1.OrderFees) {
	if m == nil || was == request.Phase {
		return
	}
	operation := string(request.Operation)
	if accepted(was, request.Phase) {
		m.outcomes.WithLabelValues(operation, outcomeAccepted).Inc()
		m.spending.commit(request, fees)
	}
	if request.Phase.Ended() || request.Phase == v1alpha1.PhaseOutcomeUnknown {
		m.outcomes.WithLabelValues(operation, string(request.Phase)).Inc()
	}
	if finished := request.Phase == v1alpha1.PhaseSucceeded || request.Phase == v1alpha1.PhaseFailed; finished &&
		request.EndedBy == v1alpha1.EndedByCarrier {
		took := request.FinishedAt.Sub(request.SubmittedAt.Time)
		m.duration.WithLabelValues(operation).Observe(max(0, took).Seconds())
	}
}

// accepted reports whether a change of the phase shows for the first time that the carrier has
// accepted the request. A person who has resolved it as Succeeded may name its id later.
func accepted(was, now v1alpha1.RequestPhase) bool {
	shows := func(phase v1alpha1.RequestPhase) bool {
		return phase == v1alpha1.PhaseInProgress || phase == v1alpha1.PhaseSucceeded
	}
	return shows(now) && !shows(was) && was != v1alpha1.PhaseLateAcceptance
}

// Ways to notice the end of a request.
const (
	noticedByPoll         = "poll"
	noticedByNotification = "notification"
)

// Seen is how the end of a request was seen.
type Seen struct {
	Polls    int       // the polls of the request, including the last one
	Before   time.Time // of the poll before the last one, or when the request was first seen
	Notified time.Time // when a notification about the object arrived; zero: none did
}

// Noticed records how the end of a request was seen. The request ended after the previous poll, so
// the delay is at most the time since that poll. A notification shows when the request ended.
func (m *Requests) Noticed(operation v1alpha1.Operation, seen Seen, now time.Time) {
	if m == nil {
		return
	}
	m.polls.WithLabelValues(string(operation)).Observe(float64(seen.Polls))
	by, since := noticedByPoll, seen.Before
	if seen.Notified.After(seen.Before) {
		by, since = noticedByNotification, seen.Notified
	}
	m.noticed.WithLabelValues(by).Observe(max(0, now.Sub(since)).Seconds())
}

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
