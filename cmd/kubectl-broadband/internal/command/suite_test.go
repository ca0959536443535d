// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPlugin(t *testing.T) {
	world.RunSpecs(t, "the plugin against a real kube-apiserver, the reconcilers and the simulated carrier")
}

// operator is the user of the reconcilers; it has the generated roles and no others.
const operator = "operator-of-the-plugin"

var (
	plane *world.ControlPlane
	audit *world.Audit
)

var _ = world.ShowFigures("plugin")

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, audit, err = world.JoinAudited(ctx, GinkgoT().TempDir(), operator)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
	Expect(plane.CacheReads(ctx)).To(Succeed())
})
