// SPDX-License-Identifier: Apache-2.0

// Package metrics has the operator's own metrics, one subject per file: what became of requests and
// what they cost, calls to the carrier, notifications, and the state of the objects at a scrape.
//
// All labels have values from bounded sets: names of operations, phases, reasons and events, and a
// few currencies. None is written by a user or by a stranger. Counters start at 0 for each of their
// label values, because a series that is missing until its first event would not trigger an alert
// for that event.
package metrics

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics has all metrics of a manager. A new metric goes into the file of its subject: requests.go,
// carrier.go, notifications.go or, for what is counted at a scrape, state.go. Only a new subject
// changes New.
type Metrics struct {
	Requests      *Requests
	Carrier       *Carrier
	Notifications *Notifications
	RequestLog    *RequestLog
	State         *State
}

// New registers the metrics, or returns those already registered, because a process may have had
// another manager before.
func New(registry prometheus.Registerer) (*Metrics, error) {
	r := &registrar{registry: registry}
	made := &Metrics{
		Requests: newRequests(r), Carrier: newCarrier(r), Notifications: newNotifications(r),
		RequestLog: newRequestLog(r), State: register(r, &State{}),
	}
	return made, r.err
}

// registrar registers metrics, and keeps the first error.
type registrar struct {
	registry prometheus.Registerer
	err      error
}

// counter registers a counter of our own, with its labels.
func (r *registrar) counter(name, help string, labels ...string) *prometheus.CounterVec {
	return register(r, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels))
}

// gauge registers a gauge of our own, with its labels.
func (r *registrar) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels))
}

// histogram registers a histogram of our own, with its labels.
func (r *registrar) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return register(r, prometheus.NewHistogramVec(
		prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels))
}

// register registers a metric, or returns the registered one of the same kind.
func register[T prometheus.Collector](r *registrar, made T) T {
	err := r.registry.Register(made)
	if err == nil {
		return made
	}
	there, registered := errors.AsType[prometheus.AlreadyRegisteredError](err)
	if registered {
		if held, same := there.ExistingCollector.(T); same {
			return held
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("register the metrics: %w", err)
	}
	return made
}

// RequestLog counts the lines of the request log that are lost. A nil *RequestLog counts nothing.
type RequestLog struct{ lost *prometheus.CounterVec }

func newRequestLog(r *registrar) *RequestLog {
	made := &RequestLog{r.counter("broadband_request_log_lines_lost_total",
		"Lines of the request log that could not be written to standard output.")}
	made.lost.WithLabelValues()
	return made
}

// Lose counts a line that is lost.
func (l *RequestLog) Lose() {
	if l != nil {
		l.lost.WithLabelValues().Inc()
	}
}
