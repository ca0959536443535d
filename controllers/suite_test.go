// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"testing"

	"k8s.io/klog/v2"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	klog.SetLogger(GinkgoLogr)
	RunSpecs(t, "controllers against a real kube-apiserver and the simulated carrier")
}

var plane *world.ControlPlane

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, err = world.StartControlPlane(ctx)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
})
