// SPDX-License-Identifier: Apache-2.0

// Package fleet_test tests many services at once: the required requests and no others, the required
// writes and no others. A real manager with its cache and its work queues runs in this process,
// against a real kube-apiserver and the simulated carrier. There are up to 1,000 services in make
// test-all, and 50 in make test.
//
// Manager and carrier use a clock that advances when the manager is idle. No time is spent on
// waiting, and the counts are the same on a busy machine.
//
// Counts and ratios are checked. Times are only printed: they depend on the machine. go test -v
// ./test/fleet shows the figures.
package fleet_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestFleet(t *testing.T) {
	world.RunSpecs(t, "a fleet of services")
}

// The number of services: of those that change nothing, and of those that each make four requests.
var (
	services   = world.Scale(50, 1000)
	converging = world.Scale(50, 300)
)

// user is the manager's user at the API server. It distinguishes the manager's actions from
// those of the test.
const user = "operator"

// realTime is the clock of the machine, for measuring a run.
var realTime = time.Now //nolint:forbidigo // the duration of a run is printed

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

var _ = world.ShowFigures("fleet")
