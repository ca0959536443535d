// SPDX-License-Identifier: Apache-2.0

// Package lifecycle_test holds what must be true of objects that come, go and come back
// while managers run: no request is lost, and none is sent twice. Real managers with their
// caches, watches and work queues run in this process, against a real kube-apiserver and
// the simulated carrier.
package lifecycle_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestLifecycle(t *testing.T) {
	world.RunSpecs(t, "objects that come, go and come back")
}

// user is who a manager is at the API server; it has the generated RBAC and no more.
const user = "operator"

// realTime is the clock: a manager's queues go by no other.
var realTime = time.Now //nolint:forbidigo // a manager is a process of its own elsewhere

var (
	plane *world.ControlPlane
	audit *world.Audit
)

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, audit, err = world.StartAudited(ctx, GinkgoT().TempDir(), user)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
})

// patience is how long anything that is waited for may take. It gates nothing but a hang.
const patience = time.Minute

// soon waits until something holds.
func soon(ctx SpecContext, holds func(Gomega)) {
	GinkgoHelper()
	Eventually(ctx, holds).WithTimeout(patience).WithPolling(100 * time.Millisecond).Should(Succeed())
}
