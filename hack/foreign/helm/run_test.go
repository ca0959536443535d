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
	stop := c.startManager(t, commands)
	defer stop()
	user := must(t, c.command(t, c.kubectl, "--kubeconfig="+root+"/bin/run.kubeconfig",
		"auth", "whoami", "--output=jsonpath={.status.userInfo.username}"))
	NewWithT(t).Expect(user).To(Equal(operator))
}

// operator is the user that the manager is.
const operator = "system:serviceaccount:broadband-operator:broadband-operator-manager"

// startManager runs a manager on this machine, and returns once it has written its first
// RequestLedger. The returned function stops it.
func (c cluster) startManager(t *testing.T, commands string) func() {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "bin/manager", ".")
	build.Dir = root
	must(t, build)
	g, manager := NewWithT(t), c.shell(t, commands, "")
	manager.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // make and its children end together
	g.Expect(manager.Start()).To(Succeed())
	marker := &unstructured.Unstructured{}
	marker.SetGroupVersionKind(ledgerKind)
	g.Eventually(func() error {
		return c.Get(t.Context(), client.ObjectKey{Name: "marker"}, marker)
	}).WithTimeout(planeTimeout).Should(Succeed())
	return func() { stopGroup(g, manager) }
}

var ledgerKind = schema.GroupVersionKind{Group: "wholesale.broadband", Version: "v1alpha1", Kind: "RequestLedger"}

// stopGroup stops a program and its children.
func stopGroup(g *WithT, program *exec.Cmd) {
	g.Expect(syscall.Kill(-program.Process.Pid, syscall.SIGTERM)).To(Succeed())
	_ = program.Wait() //nolint:errcheck // make reports that it was stopped
}
