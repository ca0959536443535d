// SPDX-License-Identifier: Apache-2.0

// Package isolation_test holds that trouble stays where it is: a poisoned account or object
// leaves the others as quick as they were. A real manager with its cache and its work queues
// runs in this process, against a real kube-apiserver and the simulated carrier.
//
// Counts and ratios are gates. Times are printed only: they are the machine's.
// go test -v ./test/isolation shows the figures.
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
	world.RunSpecs(t, "trouble stays where it is")
}

// user is who the manager is at the API server.
const user = "operator"

// realTime is the clock: the manager's queues go by no other.
var realTime = time.Now //nolint:forbidigo // a manager is a process of its own elsewhere

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
