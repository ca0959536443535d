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

// horizon is a wait after which every request that can end has ended.
const horizon = 2 * time.Hour

// user is the user of the reconcilers' writes, and of their reads that bypass the cache. It has the
// generated roles and no others.
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

// Every pass is checked against the rules of world.Unsound. The report entry shows what was
// checked.
var _ = AfterSuite(func() {
	AddReportEntry("sound passes", ReportEntryVisibilityAlways, world.Agreement())
	Expect(audit.Denied(user)).To(BeEmpty(), "the generated roles lack a permission")
})
