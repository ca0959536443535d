// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

// A scrape uses the manager that was set up last. Metrics that cannot be counted are missing, and
// do not affect the others.
func TestR24TheGaugeCountsOpenRequestsWithoutTheirObject(t *testing.T) {
	t.Parallel()
	registry, left := prometheus.NewRegistry(), &withoutHolder{}
	registry.MustRegister(left)
	for name, test := range map[string]struct {
		count func() (map[v1alpha1.Operation]int, error)
		want  float64 // of orders; -1 for nothing at all
	}{
		"some":   {func() (map[v1alpha1.Operation]int, error) { return counting(v1alpha1.OperationOrderCreate), nil }, 1},
		"others": {func() (map[v1alpha1.Operation]int, error) { return counting(v1alpha1.OperationReclaim), nil }, 0},
		"unseen": {func() (map[v1alpha1.Operation]int, error) { return nil, errors.New("no cache") }, -1},
	} {
		left.count.Store(&test.count)
		seen := scrape.ValueOf(t, registry, "broadband_requests_without_holder", v1alpha1.OperationOrderCreate)
		if seen != test.want {
			t.Errorf("%s: %v orders are open without their object", name, seen)
		}
	}
}

func counting(operation v1alpha1.Operation) map[v1alpha1.Operation]int {
	counted := make(map[v1alpha1.Operation]int)
	counted[operation] = 1
	return counted
}
