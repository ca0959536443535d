// SPDX-License-Identifier: Apache-2.0

// Package scrape reads the metrics of a registry as a scrape does.
package scrape

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ValueOf returns the value of a counter or gauge for an operation; -1 if it has none.
func ValueOf(tb testing.TB, from prometheus.Gatherer, name string, operation v1alpha1.Operation) float64 {
	tb.Helper()
	families, err := from.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, series := range named(families, name) {
		if series.GetLabel()[0].GetValue() == string(operation) {
			return series.GetCounter().GetValue() + series.GetGauge().GetValue() // one of them does not exist
		}
	}
	return -1
}

func named(families []*dto.MetricFamily, name string) []*dto.Metric {
	at := slices.IndexFunc(families, func(family *dto.MetricFamily) bool { return family.GetName() == name })
	if at < 0 {
		return nil
	}
	return families[at].GetMetric()
}
