// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/broadband-operator/broadband-operator/controllers"
)

// Workers are the passes that a manager takes at a time, per kind: as many as the program has
// by default.
const Workers = 16

// Manager is a manager that works, in this process.
type Manager struct {
	stop  context.CancelFunc
	ended chan error
	once  sync.Once
}

// RunManager begins a manager with the options that the program has by default, as a user and
// for the namespaces given. It may outlive the spec that starts it.
func (c *ControlPlane) RunManager(
	ctx context.Context, user string, now func() time.Time, namespaces ...string,
) *Manager {
	ginkgo.GinkgoHelper()
	credentials, err := c.AddUser(user)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	cluster := credentials.Config()
	cluster.QPS = -1 // as in a pod: the API server's own fairness is the limit
	mgr, err := ctrl.NewManager(cluster, c.managerOptions(namespaces))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	gomega.Expect(controllers.Setup(ctx, mgr, controllers.Options{
		OperatorNamespace: OperatorName, AllowInsecure: true, Submit: true, Workers: Workers, UserAgent: "test",
		Now: now, NewID: func() string { return string(uuid.NewUUID()) },
	})).To(gomega.Succeed())
	manager := &Manager{stop: stop, ended: make(chan error, 1)}
	go func() { manager.ended <- mgr.Start(ctx) }()
	ginkgo.DeferCleanup(manager.End)
	return manager
}

func (c *ControlPlane) managerOptions(namespaces []string) ctrl.Options {
	warmup, second := true, true
	watched := map[string]cache.Config{}
	for _, namespace := range namespaces {
		watched[namespace] = cache.Config{}
	}
	return ctrl.Options{
		Scheme:  c.Scheme,
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
