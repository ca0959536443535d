// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A manager that is told to stop", func() {
	It("has the time to hear the answer to a request, and to write it down", func() {
		text, err := fs.ReadFile(os.DirFS(world.Root()), "config/manager/manager.yaml")
		Expect(err).NotTo(HaveOccurred())
		var deployment appsv1.Deployment
		Expect(yaml.UnmarshalStrict(text, &deployment)).To(Succeed())
		patience := *deployment.Spec.Template.Spec.TerminationGracePeriodSeconds

		Expect(controllers.LongestSubmission).To(BeNumerically(">", carrier.LongestCall))
		Expect(gracefulShutdown).To(BeNumerically(">", controllers.LongestSubmission), "the manager waits for a pass")
		Expect(time.Duration(patience)*time.Second).To(BeNumerically(">", gracefulShutdown), "a kubelet for the manager")
	})
})
