// SPDX-License-Identifier: Apache-2.0

// Package fleet_test holds what must be true of many services at once: the wanted
// requests and no others, the writes that are needed and no others. A real manager with
// its cache and its work queues runs in this process, against a real kube-apiserver and
// the simulated carrier. There are 1,000 services in make test-all, and 100 in make test.
//
// Manager and carrier go by a clock that moves on when the manager has nothing to do. So no time
// is spent on waiting, and the counts are the same on a busy machine.
//
// Counts and ratios are gates. Times are printed only: they are the machine's.
// go test -v ./test/fleet shows the figures.
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

// services is how many there are of them.
var services = world.Scale(100, 1000)

// user is who the manager is at the API server, so that what it does can be told from
// what the test does.
const user = "operator"

// realTime is the clock of the machine, by which a run is timed.
var realTime = time.Now //nolint:forbidigo // how long a run takes is printed

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
