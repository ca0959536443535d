// SPDX-License-Identifier: Apache-2.0

package world

import (
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// The metrics that tests read, of the managers of this process.
const (
	PassesTotal  = "controller_runtime_reconcile_total"
	PassesFailed = "controller_runtime_reconcile_errors_total"
	PassesNow    = "controller_runtime_active_workers"
	QueueDepth   = "workqueue_depth"
)

// Labels are the labels of one series of a metric, for example its controller.
type Labels map[string]string

// Metric adds up the series of a metric for which counts returns true.
func Metric(name string, counts func(Labels) bool) int {
	ginkgo.GinkgoHelper()
	families, err := metrics.Registry.Gather()
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, series := range family.GetMetric() {
			labels := Labels{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if counts(labels) {
				sum += series.GetCounter().GetValue() + series.GetGauge().GetValue()
			}
		}
	}
	return int(sum)
}
