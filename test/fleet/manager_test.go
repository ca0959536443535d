// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// start begins a manager for the world's namespace alone.
func start(ctx context.Context, w *world.World) *world.Manager {
	GinkgoHelper()
	return plane.RunManager(ctx, user, realTime, w.Namespace)
}

// metric reads one of the metrics of the controller of services: a counter of its
// passes, or the state of its queue. Its series are added up.
func metric(name string) int {
	GinkgoHelper()
	families, err := metrics.Registry.Gather()
	Expect(err).NotTo(HaveOccurred())
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, series := range family.GetMetric() {
			if value(series.GetLabel(), "controller") == "broadbandservice" {
				sum += series.GetCounter().GetValue() + series.GetGauge().GetValue()
			}
		}
	}
	return int(sum)
}

// label is one of a metric's.
type label interface {
	GetName() string
	GetValue() string
}

// value is that of a label, or "".
func value[L label](labels []L, name string) string {
	for _, label := range labels {
		if label.GetName() == name {
			return label.GetValue()
		}
	}
	return ""
}

// The metrics that are read.
const (
	passesTaken  = "controller_runtime_reconcile_total"
	passesFailed = "controller_runtime_reconcile_errors_total"
	passesNow    = "controller_runtime_active_workers"
	queueDepth   = "workqueue_depth"
)
