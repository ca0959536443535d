// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Metrics counts, by operation, events that a person has to handle. A nil *Metrics counts
// nothing.
type Metrics struct{ late, unrecorded *prometheus.CounterVec }

// NewMetrics registers the metrics, or returns those already registered.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	late, err := counter(registry, "broadband_late_acceptances_total",
		"Requests that the carrier accepted after another outcome was recorded, by operation.")
	if err != nil {
		return nil, err
	}
	unrecorded, err := counter(registry, "broadband_unrecorded_answers_total",
		"Carrier responses that could not be written to a RequestLedger within a minute, by operation.")
	if err != nil {
		return nil, err
	}
	return &Metrics{late: late, unrecorded: unrecorded}, nil
}

// counter creates a counter that starts at 0 for each operation: a series that is missing until its
// first event would not trigger an alert for that event.
func counter(registry prometheus.Registerer, name, help string) (*prometheus.CounterVec, error) {
	made := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"operation"})
	held, err := Register(registry, made)
	if err != nil {
		return nil, err
	}
	for _, contract := range carrier.Contracts() {
		held.WithLabelValues(string(contract.Operation))
	}
	return held, nil
}

// Register registers a metric, or returns the registered one of the same kind: a process may have
// had another manager before.
func Register[T prometheus.Collector](registry prometheus.Registerer, made T) (T, error) {
	err := registry.Register(made)
	if err == nil {
		return made, nil
	}
	there, registered := errors.AsType[prometheus.AlreadyRegisteredError](err)
	if registered {
		if held, same := there.ExistingCollector.(T); same {
			return held, nil
		}
	}
	return made, fmt.Errorf("register the metrics: %w", err)
}

func (m *Metrics) countLate(operation carrier.Operation) {
	if m != nil {
		m.late.WithLabelValues(string(operation)).Inc()
	}
}

func (m *Metrics) countUnrecorded(operation v1alpha1.Operation) {
	if m != nil {
		m.unrecorded.WithLabelValues(string(operation)).Inc()
	}
}
