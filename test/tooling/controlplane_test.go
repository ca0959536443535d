// SPDX-License-Identifier: Apache-2.0

// Package tooling_test tests the scripts with which the project is built.
package tooling_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// controlPlane fills a folder with programs that only print a version.
func controlPlane(t *testing.T, folder, version string, programs ...string) {
	t.Helper()
	g := NewWithT(t)
	g.Expect(os.MkdirAll(folder, 0o700)).To(Succeed())
	for _, name := range programs {
		script := "#!/bin/sh\necho Kubernetes " + version + "\n"
		g.Expect(os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700)).To(Succeed()) //nolint:gosec // a program
	}
}

// found returns what hack/run/controlplane/find.sh prints with this home folder.
func found(t *testing.T, home string, more ...string) string {
	t.Helper()
	find := exec.CommandContext(t.Context(), "bash", "../../hack/run/controlplane/find.sh")
	find.Env = append([]string{"HOME=" + home, "PATH=/usr/bin:/bin"}, more...)
	out, err := find.Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(out))
}

const pinned = "1.37" // the minor version of hack/run/controlplane/go.mod

var all = []string{"etcd", "kube-apiserver", "kubectl"}

func TestTheControlPlaneOfSetupEnvtestIsUsed(t *testing.T) {
	t.Parallel()
	for store, path := range map[string]string{
		".local/share/kubebuilder-envtest/k8s":                   "PATH=/usr/bin:/bin",
		"Library/Application Support/io.kubebuilder.envtest/k8s": "PATH=testdata/darwin:/usr/bin:/bin",
	} {
		g, home := NewWithT(t), t.TempDir()
		controlPlane(t, filepath.Join(home, store, "1.31.0-linux-amd64"), "v1.31.0", all...)
		g.Expect(found(t, home, path)).To(BeEmpty(), "another minor version")
		folder := filepath.Join(home, store, pinned+".1-linux-amd64")
		controlPlane(t, folder, "v"+pinned+".1", all...)
		g.Expect(found(t, home, path)).To(Equal(folder))
		g.Expect(found(t, home, path, "CI=true")).To(BeEmpty(), "CI builds what it tests with")
	}
}

func TestTheControlPlaneOfADistributionIsUsed(t *testing.T) {
	t.Parallel()
	g, folder := NewWithT(t), t.TempDir()
	path := "PATH=" + folder + ":/usr/bin:/bin"
	controlPlane(t, folder, "v"+pinned+".2", "kube-apiserver", "kubectl")
	g.Expect(found(t, t.TempDir(), path)).To(BeEmpty(), "without etcd")
	controlPlane(t, folder, "v"+pinned+".2", "etcd")
	g.Expect(found(t, t.TempDir(), path)).To(Equal(folder))
}
