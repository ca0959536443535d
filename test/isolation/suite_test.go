// SPDX-License-Identifier: Apache-2.0

// Package isolation_test tests that faults stay local: a poisoned account or object does not slow
// down the others. A real manager with its cache and its work queues runs in this process, against
// a real kube-apiserver and the simulated carrier.
//
// Counts and ratios are checked. Times are only printed: they depend on the machine. go test -v
// ./test/isolation shows the figures.
package isolation_test

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestIsolation(t *testing.T) {
	world.RunSpecs(t, "faults stay local")
}

// user is the manager's user at the API server.
const user = "operator"

// realTime is the clock: the manager's queues use no other.
var realTime = time.Now //nolint:forbidigo // in production a manager is a separate process

var (
	plane *world.ControlPlane
	audit *world.Audit
)

var _ = BeforeSuite(func(ctx SpecContext) {
	GinkgoT().Setenv("GOGC", "400") // of the control plane, as in test/fleet
	DeferCleanup(debug.SetGCPercent, debug.SetGCPercent(400))
	var err error
	plane, audit, err = world.StartAudited(ctx, GinkgoT().TempDir(), user)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
})

var _ = world.ShowFigures("isolation")
