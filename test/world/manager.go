// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
)

// Workers is the number of workers of a manager per kind: the program's default.
const Workers = 64

// timedWorkers is the number of workers per kind of a manager that uses a world's clock. One
// namespace holds at most half of them.
const timedWorkers = 16

// Manager is the operator as it runs in a cluster, with its cache, watches and work queues, in this
// process.
type Manager struct {
	stop   context.CancelFunc
	ended  chan error
	once   sync.Once
	writes atomic.Int64

	// Only for a manager that uses a world's clock.
	timers  *timers
	written written
	cache   client.Reader
}

// Advance lets time pass in the manager's world. The manager and its work queues use the world's
// clock, so exactly the passes that are due by then are run.
func (m *Manager) Advance(by time.Duration) { m.timers.advance(by) }

// Busy starts the passes that have come due during a call to the carrier, and counts those that are
// due now or running.
func (m *Manager) Busy() int { return m.timers.busy() }

// AdvanceWhenIdle lets time pass unless a pass is due or running. On a slow machine, a test that
// polls would otherwise let more than 10 s pass between an intent and its POST, again and again, and
// then nothing is sent.
func (m *Manager) AdvanceWhenIdle(by time.Duration) {
	if m.Busy() == 0 {
		m.Advance(by)
	}
}

// Planned counts the passes that are due within a time from now.
func (m *Manager) Planned(within time.Duration) int { return m.timers.planned(within) }

// Unseen counts the services that the manager has written and not yet seen in its cache. If a test
// lets time pass before that, the manager acts on outdated state.
func (m *Manager) Unseen(ctx context.Context) (int, error) { return m.written.unseen(ctx, m.cache) }

// Writes counts the API server's responses to the manager's writes, including Events. Each write is
// in the audit log, which may lag behind.
func (m *Manager) Writes() int { return int(m.writes.Load()) }

// Manage starts a manager as a user of the API server, with the program's default options, and only
// for the world's namespace. Cancelling the context does not stop the manager. Ginkgo's cleanup
// does.
func (w *World) Manage(ctx context.Context, user string, edits ...func(*rest.Config)) *Manager {
	ginkgo.GinkgoHelper()
	return w.ManageBeside(ctx, user, nil, edits...)
}

// ManageBeside starts a manager that also manages the namespaces of other worlds.
func (w *World) ManageBeside(
	ctx context.Context, user string, others []*World, edits ...func(*rest.Config),
) *Manager {
	ginkgo.GinkgoHelper()
	cluster, err := w.Plane.AddUser(user)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	cluster.QPS = -1 // as in a pod: the API server's own fairness is the limit
	for _, edit := range edits {
		edit(cluster)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	manager := &Manager{
		stop: stop, ended: make(chan error, 1),
		written: written{newest: map[client.ObjectKey]*v1alpha1.BroadbandService{}},
	}
	cluster.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return counting{writes: &manager.writes, patient: w.Clock != nil, next: next}
	})
	setup := managerOptions(append([]*World{w}, others...))
	if w.Clock != nil {
		setup.NewClient = manager.written.newClient
	}
	if w.Election {
		setup.LeaderElection, setup.LeaderElectionID = true, "operator"
		setup.LeaderElectionNamespace, setup.LeaderElectionConfig = w.Namespace, w.Plane.Config
	}
	mgr, err := ctrl.NewManager(cluster, setup)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	manager.cache = mgr.GetCache()
	options := controllers.Options{
		AllowInsecure: true, Submit: true, Workers: Workers, UserAgent: "test", MinTimeout: w.minTimeout(),
		Now: w.now, NewID: func() string { return string(uuid.NewUUID()) }, RecheckAfter: w.DoubtAfter,
		Marker: w.Marker, RequestLog: w.RequestLog,
	}
	if w.Clock != nil {
		manager.timers = &timers{clock: w.Clock}
		options.NewQueue, options.Workers = manager.timers.newQueue, timedWorkers
	}
	gomega.Expect(controllers.Setup(ctx, mgr, options)).To(gomega.Succeed())
	go func() { manager.ended <- mgr.Start(ctx) }()
	ginkgo.DeferCleanup(manager.End)
	return manager
}

func managerOptions(worlds []*World) ctrl.Options {
	ginkgo.GinkgoHelper()
	scheme, err := newScheme() // of its own: a new manager adds types to it, and another one may be running
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	warmup, second := true, true
	watched := map[string]cache.Config{}
	for _, w := range worlds {
		watched[w.Namespace] = cache.Config{}
	}
	return ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{DefaultNamespaces: watched, DefaultTransform: controllers.Trim},
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Controllers have the same names in every manager of this process.
		Controller: config.Controller{EnableWarmup: &warmup, SkipNameValidation: &second},
	}
}

// End stops the manager and waits until it has stopped working.
func (m *Manager) End() {
	ginkgo.GinkgoHelper()
	m.once.Do(func() {
		m.stop()
		gomega.Eventually(m.ended).WithTimeout(time.Minute).Should(gomega.Receive(gomega.Succeed()))
	})
}
