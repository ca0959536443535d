// SPDX-License-Identifier: Apache-2.0

package helm_test

import (
	"os/exec"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	. "github.com/onsi/gomega"
)

// runManager runs a manager on this machine until it has written its first RequestLedger. The policy
// lets only the operator's ServiceAccount update it.
func (c cluster) runManager(t *testing.T, commands string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "bin/manager", ".")
	build.Dir = root
	must(t, build)
	g, manager := NewWithT(t), c.shell(t, commands, "")
	manager.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // make and its children end together
	g.Expect(manager.Start()).To(Succeed())
	defer stopGroup(g, manager)
	marker := &unstructured.Unstructured{}
	marker.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "wholesale.broadband", Version: "v1alpha1", Kind: "RequestLedger",
	})
	g.Eventually(func() error {
		return c.Get(t.Context(), client.ObjectKey{Name: "marker"}, marker)
	}).WithTimeout(planeTimeout).Should(Succeed())
	user := must(t, c.command(t, c.kubectl, "--kubeconfig="+root+"/bin/run.kubeconfig",
		"auth", "whoami", "--output=jsonpath={.status.userInfo.username}"))
	g.Expect(user).To(Equal("system:serviceaccount:broadband-operator:broadband-operator-manager"))
}

// stopGroup stops a program and its children.
func stopGroup(g *WithT, program *exec.Cmd) {
	g.Expect(syscall.Kill(-program.Process.Pid, syscall.SIGTERM)).To(Succeed())
	_ = program.Wait() //nolint:errcheck // make reports that it was stopped
}
