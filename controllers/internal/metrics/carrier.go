// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Carrier counts calls to the carrier and to its identity provider.
type Carrier struct {
	calls, exchanges *prometheus.CounterVec
	duration, waits  *prometheus.HistogramVec
}

// granted is the outcome of a token exchange that succeeded. The others are the reasons of
// [carrier.TokenError].
const granted = "Granted"

func newCarrier(r *registrar) *Carrier {
	made := &Carrier{
		calls: r.counter("broadband_carrier_calls_total",
			"HTTP calls to the carrier, by operation or read, method and class of the status (none: no response).",
			labelOperation, "method", "code"),
		duration: r.histogram("broadband_carrier_call_duration_seconds",
			"Duration of the HTTP calls to the carrier, by operation or read.",
			[]float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 45}, labelOperation),
		exchanges: r.counter("broadband_token_exchanges_total",
			"Exchanges of a signed assertion for an access token, by outcome.", labelOutcome),
		waits: r.histogram("broadband_rate_limit_wait_seconds",
			"Wait that the rate limit imposed on calls, by kind; 0 for a call that need not wait.",
			[]float64{0, .1, .5, 1, 2, 5, 15, 60}, labelKind),
	}
	made.startAtZero()
	return made
}

func (c *Carrier) startAtZero() {
	posts := operations()
	reads := slices.Concat(posts, []string{
		carrier.CancellationRead, carrier.DisruptionsRead, carrier.TestTypesRead, carrier.ServiceRead, carrier.OrderRead,
		carrier.TokenCheck,
	})
	for _, operation := range reads {
		c.duration.WithLabelValues(operation)
		for _, code := range codes() {
			c.calls.WithLabelValues(operation, http.MethodGet, code)
		}
	}
	for _, operation := range posts {
		for _, code := range codes() {
			c.calls.WithLabelValues(operation, http.MethodPost, code)
		}
	}
	for _, outcome := range []string{
		granted, string(carrier.TokenRejected), string(carrier.TokenTooShort), string(carrier.TokenUnreachable),
		string(carrier.TokenClockSkew), string(carrier.TokenKeyInvalid),
	} {
		c.exchanges.WithLabelValues(outcome)
	}
	for _, kind := range []carrier.CallKind{carrier.CallSubmit, carrier.CallPoll} {
		c.waits.WithLabelValues(string(kind))
	}
}

// Observer returns the functions that count the calls of a client. The receiver may be nil; then
// nothing is counted.
func (c *Carrier) Observer() carrier.Observer {
	if c == nil {
		return carrier.Observer{}
	}
	return carrier.Observer{
		Call: func(call carrier.ObservedCall) {
			c.calls.WithLabelValues(call.Operation, call.Method, codeOf(call.Status)).Inc()
			c.duration.WithLabelValues(call.Operation).Observe(call.Took.Seconds())
		},
		Exchange: func(exchange carrier.ObservedExchange) {
			outcome := granted
			if exchange.Failure != "" {
				outcome = string(exchange.Failure)
			}
			c.exchanges.WithLabelValues(outcome).Inc()
		},
		Wait: func(kind carrier.CallKind, wait time.Duration) {
			c.waits.WithLabelValues(string(kind)).Observe(wait.Seconds())
		},
	}
}

// The classes of HTTP statuses. 429 has its own class, because it is about the account, not about
// the call.
const (
	codeNone      = "none"
	codeSuccess   = "2xx"
	codeRedirect  = "3xx"
	codeRefused   = "4xx"
	codeThrottled = "429"
	codeFailed    = "5xx"
)

func codes() []string {
	return []string{codeNone, codeSuccess, codeRedirect, codeRefused, codeThrottled, codeFailed}
}

// codeOf returns the class of a status. Statuses outside the classes count as failures of the
// server.
func codeOf(status int) string {
	switch {
	case status == 0:
		return codeNone
	case status == http.StatusTooManyRequests:
		return codeThrottled
	case status >= 200 && status < 300:
		return codeSuccess
	case status >= 300 && status < 400:
		return codeRedirect
	case status >= 400 && status < 500:
		return codeRefused
	}
	return codeFailed
}
