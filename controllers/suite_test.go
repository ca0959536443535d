// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestControllers(t *testing.T) {
	world.RunSpecs(t, "controllers against a real kube-apiserver and the simulated carrier")
}

// horizon is a wait in which a request that can end has ended.
const horizon = 2 * time.Hour

// user is who the reconcilers write as, and read as where they read past the cache. It has
// the generated roles and no more.
const user = "operator-of-controllers"

var (
	plane *world.ControlPlane
	audit *world.Audit
)

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, audit, err = world.JoinAudited(ctx, GinkgoT().TempDir(), user)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
	Expect(plane.CacheReads(ctx)).To(Succeed())
})

// Every pass is held to the rules of world.Unsound. This is where they were tried.
var _ = AfterSuite(func() {
	AddReportEntry("sound passes", ReportEntryVisibilityAlways, world.Agreement())
	Expect(audit.Denied(user)).To(BeEmpty(), "the generated roles miss a right")
})
