// SPDX-License-Identifier: Apache-2.0

// Package scrape reads the metrics of a registry as a scrape does.
package scrape

import (
	"fmt"
	"slices"
	"strings"
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

// PageOf returns the value of every series of a registry by its name on the page, such as
// m_total{a="1",b="2"}. A histogram is represented by its series _count and _sum.
func PageOf(tb testing.TB, from prometheus.Gatherer) map[string]float64 {
	tb.Helper()
	families, err := from.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	page := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			name, labels := family.GetName(), labelsOf(series)
			if histogram := series.GetHistogram(); histogram != nil {
				page[name+"_count"+labels] = float64(histogram.GetSampleCount())
				page[name+"_sum"+labels] = histogram.GetSampleSum()
				continue
			}
			page[name+labels] = series.GetCounter().GetValue() + series.GetGauge().GetValue()
		}
	}
	return page
}

func labelsOf(series *dto.Metric) string {
	labels := make([]string, 0, len(series.GetLabel()))
	for _, label := range series.GetLabel() {
		labels = append(labels, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
	}
	if len(labels) == 0 {
		return ""
	}
	return "{" + strings.Join(labels, ",") + "}"
}

// Grown returns the series whose value differs between two pages, with the difference.
func Grown(before, after map[string]float64) map[string]float64 {
	grown := map[string]float64{}
	for name, value := range after {
		if by := value - before[name]; by != 0 {
			grown[name] = by
		}
	}
	return grown
}
