// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/broadband-operator/broadband-operator/controllers"
)

// Workers are the passes that a manager takes at a time, per kind: as many as the program has
// by default.
const Workers = 16

// Manager is the operator as it runs in a cluster, with its cache, watches and work
// queues, in this process.
type Manager struct {
	stop  context.CancelFunc
	ended chan error
	once  sync.Once
}

// Manage starts a manager as a user of the API server, with the options that the program
// has by default, for the world's namespace alone. It may outlive the spec that starts it.
func (w *World) Manage(ctx context.Context, user string, edits ...func(*rest.Config)) *Manager {
	ginkgo.GinkgoHelper()
	return w.ManageBeside(ctx, user, nil, edits...)
}

// ManageBeside starts one that manages the namespaces of other worlds too.
func (w *World) ManageBeside(
	ctx context.Context, user string, others []*World, edits ...func(*rest.Config),
) *Manager {
	ginkgo.GinkgoHelper()
	credentials, err := w.Plane.AddUser(user)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	cluster := credentials.Config()
	cluster.QPS = -1 // as in a pod: the API server's own fairness is the limit
	for _, edit := range edits {
		edit(cluster)
	}
	mgr, err := ctrl.NewManager(cluster, managerOptions(append([]*World{w}, others...)))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	gomega.Expect(controllers.Setup(ctx, mgr, controllers.Options{
		OperatorNamespace: OperatorName, AllowInsecure: true, Submit: true, Workers: Workers, UserAgent: "test",
		DoubtAfter: w.DoubtAfter,
		Now:        w.now, NewID: func() string { return string(uuid.NewUUID()) },
	})).To(gomega.Succeed())
	manager := &Manager{stop: stop, ended: make(chan error, 1)}
	go func() { manager.ended <- mgr.Start(ctx) }()
	ginkgo.DeferCleanup(manager.End)
	return manager
}

func managerOptions(worlds []*World) ctrl.Options {
	warmup, second := true, true
	watched := map[string]cache.Config{}
	for _, w := range worlds {
		watched[w.Namespace] = cache.Config{}
	}
	return ctrl.Options{
		Scheme:  worlds[0].Plane.Scheme,
		Cache:   cache.Options{DefaultNamespaces: watched, DefaultTransform: cache.TransformStripManagedFields()},
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Controllers have the same names in every manager of this process.
		Controller: config.Controller{EnableWarmup: &warmup, SkipNameValidation: &second},
	}
}

// End stops the manager and waits until it has done nothing more.
func (m *Manager) End() {
	ginkgo.GinkgoHelper()
	m.once.Do(func() {
		m.stop()
		gomega.Eventually(m.ended).WithTimeout(time.Minute).Should(gomega.Receive(gomega.Succeed()))
	})
}
