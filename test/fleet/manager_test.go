// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// running is a manager that works.
type running struct {
	stop  context.CancelFunc
	ended chan error
	once  sync.Once
}

// start begins a manager with the options that the program has by default, for the
// world's namespace alone. It may outlive the spec that starts it.
func start(ctx context.Context, w *world.World) *running {
	GinkgoHelper()
	credentials, err := plane.AddUser(user)
	Expect(err).NotTo(HaveOccurred())
	cluster := credentials.Config()
	cluster.QPS = -1 // as in a pod: the API server's own fairness is the limit
	mgr, err := ctrl.NewManager(cluster, managerOptions(w.Namespace))
	Expect(err).NotTo(HaveOccurred())
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	Expect(controllers.Setup(ctx, mgr, controllers.Options{
		OperatorNamespace: world.OperatorName, AllowInsecure: true, Submit: true, Workers: 16, UserAgent: "test",
		Now: realTime, NewID: func() string { return string(uuid.NewUUID()) },
	})).To(Succeed())
	manager := &running{stop: stop, ended: make(chan error, 1)}
	go func() { manager.ended <- mgr.Start(ctx) }()
	DeferCleanup(manager.end)
	return manager
}

func managerOptions(namespace string) ctrl.Options {
	warmup, second := true, true
	return ctrl.Options{
		Scheme: plane.Scheme,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{namespace: {}}, DefaultTransform: cache.TransformStripManagedFields(),
		},
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Controllers have the same names in every manager of this process.
		Controller: config.Controller{EnableWarmup: &warmup, SkipNameValidation: &second},
	}
}

// end stops the manager and waits until it has done nothing more.
func (r *running) end() {
	GinkgoHelper()
	r.once.Do(func() {
		r.stop()
		Eventually(r.ended).WithTimeout(time.Minute).Should(Receive(Succeed()))
	})
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
