// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"io/fs"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// deployed is the Deployment of config/manager.
func deployed() appsv1.DeploymentSpec {
	GinkgoHelper()
	text, err := fs.ReadFile(os.DirFS(source.Root()), "config/manager/manager.yaml")
	Expect(err).NotTo(HaveOccurred())
	var deployment appsv1.Deployment
	Expect(yaml.UnmarshalStrict(text, &deployment)).To(Succeed())
	return deployment.Spec
}

var _ = Describe("The manager that is deployed", func() {
	It("knows the flags that it is started with, and restricts its metrics to users who may read them", func() {
		started, err := parse(deployed().Template.Spec.Containers[0].Args, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		Expect(started.leaderElect).To(BeTrue(), "there are two")
		Expect(started.metricsSecure).To(BeTrue())
		Expect(started.allowInsecureCarrier).To(BeFalse())
		Expect(started.operatorNamespace).To(Equal(world.OperatorName), "where its Role is")
	})

	It("has time to receive the response to a request when it has to stop, and to record it", func() {
		patience := *deployed().Template.Spec.TerminationGracePeriodSeconds
		Expect(controllers.LongestSubmission).To(BeNumerically(">", carrier.LongestCall))
		Expect(gracefulShutdown).To(BeNumerically(">", controllers.LongestSubmission), "the manager waits for a pass")
		Expect(time.Duration(patience)*time.Second).To(BeNumerically(">", gracefulShutdown), "a kubelet for the manager")
	})
})
