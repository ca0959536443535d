// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// setupMetrics registers the operator's own metrics with the manager's registry.
func (o *Operator) setupMetrics(ctx context.Context) (err error) {
	if o.Protocol.Metrics, err = operate.NewMetrics(metrics.Registry); err != nil {
		return err
	}
	left, err := operate.Register(metrics.Registry, &withoutHolder{})
	if err != nil {
		return err
	}
	left.count.Store(new(func() (map[v1alpha1.Operation]int, error) {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), countWithin) // a scrape has no timeout
		defer cancel()
		return o.WithoutHolder(within)
	}))
	return nil
}

// withoutHolder counts, at each scrape, the open attempts whose holder is deleted: "what is open
// stays in the ledger (column, metric and Event: open and holder gone)" (R24).
type withoutHolder struct {
	count atomic.Pointer[func() (map[v1alpha1.Operation]int, error)] // of the manager that was set up last
}

// countWithin is the time limit for counting: a cache that is not filled yet does not respond.
const countWithin = 2 * time.Second

func withoutHolderDesc() *prometheus.Desc {
	return prometheus.NewDesc("broadband_requests_without_holder",
		"Open requests in RequestLedgers whose object is deleted, by operation.",
		[]string{"operation"}, nil)
}

// Describe sends the description of the metric.
func (*withoutHolder) Describe(into chan<- *prometheus.Desc) { into <- withoutHolderDesc() }

// Collect counts. If that fails, only this metric is missing from the scrape.
func (l *withoutHolder) Collect(into chan<- prometheus.Metric) {
	count := l.count.Load()
	if count == nil {
		return
	}
	left, err := (*count)()
	if err != nil {
		ctrl.Log.Error(err, "cannot count the open requests of deleted objects")
		return
	}
	for _, contract := range carrier.Contracts() {
		count := float64(left[v1alpha1.Operation(contract.Operation)])
		into <- prometheus.MustNewConstMetric(
			withoutHolderDesc(), prometheus.GaugeValue, count, string(contract.Operation))
	}
}

// WithoutHolder counts, by operation, the open attempts whose object is deleted, according to the
// cache.
func (o *Operator) WithoutHolder(ctx context.Context) (map[v1alpha1.Operation]int, error) {
	var ledgers v1alpha1.RequestLedgerList
	if err := o.List(ctx, &ledgers, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list RequestLedgers: %w", err)
	}
	left := make(map[v1alpha1.Operation]int)
	for i := range ledgers.Items {
		for _, open := range ledgers.Items[i].Spec.Open {
			gone, err := o.lacksHolder(ctx, &ledgers.Items[i].Spec, open.UID)
			if err != nil {
				return nil, err
			}
			if gone {
				left[open.Operation]++
			}
		}
	}
	return left, nil
}

// lacksHolder reports whether the object of an open attempt is deleted. An object outside this
// manager's namespaces is counted by another manager.
func (o *Operator) lacksHolder(ctx context.Context, ledger *v1alpha1.RequestLedgerSpec, uid string) (bool, error) {
	holder := ledger.Holder
	switch {
	case ledger.Diagnostics != nil:
		return o.isTestGone(ctx, uid)
	case !o.watches(holder.Namespace):
		return false, nil
	case ledger.Order != nil:
		return o.isHolderGone(ctx, holder, &v1alpha1.ServiceOrder{})
	}
	return o.isHolderGone(ctx, holder, &v1alpha1.BroadbandService{})
}

func (o *Operator) watches(namespace string) bool {
	return len(o.Namespaces) == 0 || slices.Contains(o.Namespaces, namespace)
}

func (o *Operator) isHolderGone(ctx context.Context, holder v1alpha1.LedgerHolder, into client.Object) (bool, error) {
	err := o.Get(ctx, client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}, into)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("look for %s/%s, the holder: %w", holder.Namespace, holder.Name, err)
	}
	return string(into.GetUID()) != holder.UID, nil
}

// isTestGone reports whether a test is deleted. Only its UID is known, not its namespace, so a
// manager limited to some namespaces cannot find out.
func (o *Operator) isTestGone(ctx context.Context, uid string) (bool, error) {
	if len(o.Namespaces) > 0 {
		return false, nil
	}
	var tests v1alpha1.DiagnosticTestList
	if err := o.List(ctx, &tests, client.MatchingFields{fieldTestUID: uid}); err != nil {
		return false, fmt.Errorf("look for the test with UID %s: %w", uid, err)
	}
	return len(tests.Items) == 0, nil
}
